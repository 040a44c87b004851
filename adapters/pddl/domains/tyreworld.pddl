; Changing wheels. The three tools are constants here and objects in the problems: the reader merges them.
(define (domain tyreworld)
  (:requirements :strips :typing)
  (:types
    obj container hub - object
    tool wheel nut - obj)
  (:constants wrench jack pump - tool)
  (:predicates
    (have ?o - obj)
    (in ?o - obj ?c - container)
    (isopen ?c - container)
    (closed ?c - container)
    (unlocked ?c - container)
    (tight ?n - nut ?h - hub)
    (loose ?n - nut ?h - hub)
    (fastened ?h - hub)
    (unfastened ?h - hub)
    (on-ground ?h - hub)
    (not-on-ground ?h - hub)
    (on ?w - wheel ?h - hub)
    (free ?h - hub)
    (inflated ?w - wheel)
    (not-inflated ?w - wheel)
    (intact ?w - wheel))

  (:action open
    :parameters (?c - container)
    :precondition (and (closed ?c) (unlocked ?c))
    :effect (and (not (closed ?c)) (isopen ?c)))

  (:action close
    :parameters (?c - container)
    :precondition (and (isopen ?c))
    :effect (and (not (isopen ?c)) (closed ?c)))

  (:action fetch
    :parameters (?o - obj ?c - container)
    :precondition (and (isopen ?c) (in ?o ?c))
    :effect (and (not (in ?o ?c)) (have ?o)))

  (:action put-away
    :parameters (?o - obj ?c - container)
    :precondition (and (isopen ?c) (have ?o))
    :effect (and (not (have ?o)) (in ?o ?c)))

  (:action loosen
    :parameters (?n - nut ?h - hub)
    :precondition (and (have wrench) (on-ground ?h) (tight ?n ?h))
    :effect (and (not (tight ?n ?h)) (loose ?n ?h)))

  (:action tighten
    :parameters (?n - nut ?h - hub)
    :precondition (and (have wrench) (on-ground ?h) (loose ?n ?h))
    :effect (and (not (loose ?n ?h)) (tight ?n ?h)))

  (:action jack-up
    :parameters (?h - hub)
    :precondition (and (have jack) (on-ground ?h))
    :effect (and (not (have jack)) (not (on-ground ?h)) (not-on-ground ?h)))

  (:action jack-down
    :parameters (?h - hub)
    :precondition (and (not-on-ground ?h))
    :effect (and (not (not-on-ground ?h)) (on-ground ?h) (have jack)))

  (:action undo
    :parameters (?n - nut ?h - hub)
    :precondition (and (have wrench) (not-on-ground ?h) (fastened ?h) (loose ?n ?h))
    :effect (and (not (fastened ?h)) (not (loose ?n ?h)) (unfastened ?h) (have ?n)))

  (:action do-up
    :parameters (?n - nut ?h - hub)
    :precondition (and (have wrench) (not-on-ground ?h) (unfastened ?h) (have ?n))
    :effect (and (not (unfastened ?h)) (not (have ?n)) (fastened ?h) (loose ?n ?h)))

  (:action remove-wheel
    :parameters (?w - wheel ?h - hub)
    :precondition (and (not-on-ground ?h) (unfastened ?h) (on ?w ?h))
    :effect (and (not (on ?w ?h)) (free ?h) (have ?w)))

  (:action put-on-wheel
    :parameters (?w - wheel ?h - hub)
    :precondition (and (not-on-ground ?h) (unfastened ?h) (free ?h) (have ?w))
    :effect (and (not (free ?h)) (not (have ?w)) (on ?w ?h)))

  (:action inflate
    :parameters (?w - wheel)
    :precondition (and (have pump) (intact ?w) (not-inflated ?w))
    :effect (and (not (not-inflated ?w)) (inflated ?w))))
