; A robot with arms carries balls between rooms. Kinds are plain one-place predicates: the problems are untyped.
(define (domain gripper-strips)
  (:requirements :strips)
  (:predicates (room ?r) (ball ?b) (gripper ?arm) (at-robby ?r) (at ?b ?r) (free ?arm) (carry ?b ?arm))

  (:action move
    :parameters (?here ?there)
    :precondition (and (room ?here) (room ?there) (at-robby ?here))
    :effect (and (not (at-robby ?here)) (at-robby ?there)))

  (:action pick
    :parameters (?b ?r ?arm)
    :precondition (and (ball ?b) (room ?r) (gripper ?arm) (at-robby ?r) (at ?b ?r) (free ?arm))
    :effect (and (not (at ?b ?r)) (not (free ?arm)) (carry ?b ?arm)))

  (:action drop
    :parameters (?b ?r ?arm)
    :precondition (and (ball ?b) (room ?r) (gripper ?arm) (at-robby ?r) (carry ?b ?arm))
    :effect (and (not (carry ?b ?arm)) (free ?arm) (at ?b ?r))))
