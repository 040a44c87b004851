; A small workshop: every construct that the engine compiles, and nothing of any published domain.
(define (domain workshop)
  (:requirements :adl :action-costs :typing)
  (:types robot room tool - object lamp - tool crate - tool)
  (:constants Hall - room)
  (:predicates
    (in ?r - robot ?p - room) (door ?p ?q - room) (lies ?t - tool ?p - room) (carries ?r - robot ?t - tool)
    (busy ?r - robot) (lit ?l - lamp) (locked ?p - room) (oiled ?t - tool) (dusty ?t - tool) (seen ?x - object)
    (fragile ?t - tool) (blessed ?t - tool))
  (:functions (length ?p ?q - room) (total-cost) - number)

  (:action stroll
    :parameters (?r - robot ?from - room ?to - room)
    :precondition (and (in ?r ?from) (not (locked ?to))
                       (or (= ?from ?to) (door ?from ?to) (exists (?via - room) (and (door ?from ?via) (door ?via ?to)))))
    :effect (and (not (in ?r ?from)) (in ?r ?to) (increase (total-cost) 2)))

  (:action grab
    :parameters (?r - robot ?t - tool ?p - room)
    :precondition (and (in ?r ?p) (lies ?t ?p) (not (busy ?r)) (imply (fragile ?t) (oiled ?t)))
    :effect (and (carries ?r ?t) (busy ?r) (not (lies ?t ?p)) (not (dusty ?t)) (increase (total-cost) 1)))

  (:action drop
    :parameters (?r - robot ?t - tool ?p - room)
    :precondition (and (in ?r ?p) (carries ?r ?t))
    :effect (and (lies ?t ?p) (not (carries ?r ?t)) (not (busy ?r))))

  (:action switch
    :parameters (?r - robot ?p - room)
    :precondition (in ?r ?p)
    :effect (forall (?l - lamp) (and (when (and (lies ?l ?p) (not (lit ?l))) (lit ?l))
                                     (when (and (lies ?l ?p) (lit ?l)) (not (lit ?l))))))

  (:action oil
    :parameters (?r - robot ?t - tool)
    :precondition (or (carries ?r ?t) (exists (?p - room) (and (in ?r ?p) (lies ?t ?p))))
    :effect (and (oiled ?t) (not (dusty ?t)) (not (blessed ?t))))

  (:action lock
    :parameters (?r - robot ?p - room)
    :precondition (and (in ?r Hall) (not (locked ?p)) (not (= ?p Hall)) (forall (?l - lamp) (not (and (lies ?l ?p) (lit ?l)))))
    :effect (and (locked ?p) (forall (?t - tool) (when (lies ?t ?p) (dusty ?t)))))

  (:action unlock
    :parameters (?r - robot ?p - room)
    :precondition (and (locked ?p) (not (exists (?q - room) (and (locked ?q) (not (= ?q ?p))))))
    :effect (not (locked ?p)))

  (:action look
    :parameters (?r - robot ?p - room)
    :precondition (and (in ?r ?p))
    :effect (and (seen ?p)))

  (:action count
    :parameters (?r - robot)
    :precondition ()
    :effect (and (seen ?r)))

  (:action admire
    :parameters (?r - robot ?t - tool)
    :precondition (exists (?p - room, ?q - room) (and (in ?r ?p) (lies ?t ?q)))
    :effect (seen ?t))

  (:action polish
    :parameters (?r - robot ?t - crate)
    :precondition (carries ?r ?t)
    :effect (and (when (oiled ?t) (blessed ?t)) (seen ?t)))
)
