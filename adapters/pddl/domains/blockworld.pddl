; One hand, one table, blocks. Four moves: off the table, onto the table, onto a block, off a block.
(define (domain blocksworld-4ops)
  (:requirements :strips)
  (:predicates (arm-empty) (holding ?block) (clear ?block) (on-table ?block) (on ?block ?below))

  (:action pickup
    :parameters (?block)
    :precondition (and (arm-empty) (on-table ?block) (clear ?block))
    :effect (and (not (arm-empty)) (not (on-table ?block)) (not (clear ?block)) (holding ?block)))

  (:action putdown
    :parameters (?block)
    :precondition (and (holding ?block))
    :effect (and (not (holding ?block)) (arm-empty) (on-table ?block) (clear ?block)))

  (:action stack
    :parameters (?block ?below)
    :precondition (and (holding ?block) (clear ?below))
    :effect (and (not (holding ?block)) (not (clear ?below)) (arm-empty) (clear ?block) (on ?block ?below)))

  (:action unstack
    :parameters (?block ?below)
    :precondition (and (arm-empty) (clear ?block) (on ?block ?below))
    :effect (and (not (arm-empty)) (not (clear ?block)) (not (on ?block ?below)) (holding ?block) (clear ?below))))
