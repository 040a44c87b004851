; Drinks from dispensers into shots, from shots into a shaker, and cocktails from the shaker into shots.
(define (domain barman)
  (:requirements :strips :typing)
  (:types
    hand level beverage dispenser container - object
    ingredient cocktail - beverage
    shot shaker - container)
  (:predicates
    (handempty ?h - hand)
    (holding ?h - hand ?c - container)
    (ontable ?c - container)
    (empty ?c - container)
    (clean ?c - container)
    (used ?c - container ?b - beverage)
    (contains ?c - container ?b - beverage)
    (shaked ?k - shaker)
    (unshaked ?k - shaker)
    (shaker-level ?k - shaker ?l - level)
    (shaker-empty-level ?k - shaker ?l - level)
    (next ?low - level ?high - level)
    (dispenses ?d - dispenser ?i - ingredient)
    (cocktail-part1 ?b - cocktail ?i - ingredient)
    (cocktail-part2 ?b - cocktail ?i - ingredient))

  (:action grasp
    :parameters (?h - hand ?c - container)
    :precondition (and (handempty ?h) (ontable ?c))
    :effect (and (not (handempty ?h)) (not (ontable ?c)) (holding ?h ?c)))

  (:action leave
    :parameters (?h - hand ?c - container)
    :precondition (and (holding ?h ?c))
    :effect (and (not (holding ?h ?c)) (ontable ?c) (handempty ?h)))

  (:action fill-shot
    :parameters (?s - shot ?i - ingredient ?h - hand ?other - hand ?d - dispenser)
    :precondition (and (holding ?h ?s) (handempty ?other) (dispenses ?d ?i) (empty ?s) (clean ?s))
    :effect (and (not (empty ?s)) (not (clean ?s)) (contains ?s ?i) (used ?s ?i)))

  (:action refill-shot
    :parameters (?s - shot ?i - ingredient ?h - hand ?other - hand ?d - dispenser)
    :precondition (and (holding ?h ?s) (handempty ?other) (dispenses ?d ?i) (empty ?s) (used ?s ?i))
    :effect (and (not (empty ?s)) (contains ?s ?i)))

  (:action empty-shot
    :parameters (?h - hand ?s - shot ?b - beverage)
    :precondition (and (holding ?h ?s) (contains ?s ?b))
    :effect (and (not (contains ?s ?b)) (empty ?s)))

  (:action clean-shot
    :parameters (?s - shot ?b - beverage ?h - hand ?other - hand)
    :precondition (and (holding ?h ?s) (handempty ?other) (empty ?s) (used ?s ?b))
    :effect (and (not (used ?s ?b)) (clean ?s)))

  (:action pour-shot-to-clean-shaker
    :parameters (?s - shot ?i - ingredient ?k - shaker ?h - hand ?low - level ?high - level)
    :precondition (and (holding ?h ?s) (contains ?s ?i) (empty ?k) (clean ?k) (shaker-level ?k ?low) (next ?low ?high))
    :effect (and
      (not (contains ?s ?i)) (empty ?s)
      (not (empty ?k)) (not (clean ?k)) (contains ?k ?i) (unshaked ?k)
      (not (shaker-level ?k ?low)) (shaker-level ?k ?high)))

  (:action pour-shot-to-used-shaker
    :parameters (?s - shot ?i - ingredient ?k - shaker ?h - hand ?low - level ?high - level)
    :precondition (and (holding ?h ?s) (contains ?s ?i) (unshaked ?k) (shaker-level ?k ?low) (next ?low ?high))
    :effect (and
      (not (contains ?s ?i)) (empty ?s)
      (contains ?k ?i)
      (not (shaker-level ?k ?low)) (shaker-level ?k ?high)))

  (:action empty-shaker
    :parameters (?h - hand ?k - shaker ?b - cocktail ?now - level ?bottom - level)
    :precondition (and (holding ?h ?k) (contains ?k ?b) (shaked ?k) (shaker-level ?k ?now) (shaker-empty-level ?k ?bottom))
    :effect (and
      (not (contains ?k ?b)) (not (shaked ?k)) (empty ?k)
      (not (shaker-level ?k ?now)) (shaker-level ?k ?bottom)))

  (:action clean-shaker
    :parameters (?h - hand ?other - hand ?k - shaker)
    :precondition (and (holding ?h ?k) (handempty ?other) (empty ?k))
    :effect (and (clean ?k)))

  (:action shake
    :parameters (?b - cocktail ?i1 - ingredient ?i2 - ingredient ?k - shaker ?h - hand ?other - hand)
    :precondition (and
      (holding ?h ?k) (handempty ?other) (unshaked ?k)
      (cocktail-part1 ?b ?i1) (cocktail-part2 ?b ?i2) (contains ?k ?i1) (contains ?k ?i2))
    :effect (and (not (contains ?k ?i1)) (not (contains ?k ?i2)) (contains ?k ?b) (not (unshaked ?k)) (shaked ?k)))

  (:action pour-shaker-to-shot
    :parameters (?b - beverage ?s - shot ?h - hand ?k - shaker ?high - level ?low - level)
    :precondition (and
      (holding ?h ?k) (shaked ?k) (contains ?k ?b) (empty ?s) (clean ?s) (shaker-level ?k ?high) (next ?low ?high))
    :effect (and
      (not (empty ?s)) (not (clean ?s)) (contains ?s ?b)
      (not (shaker-level ?k ?high)) (shaker-level ?k ?low))))
