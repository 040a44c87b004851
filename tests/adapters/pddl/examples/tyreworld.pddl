(define (problem example) (:domain tyreworld)
  (:objects wrench jack pump - tool trunk - container spare - wheel)
  (:init (have wrench) (have jack) (in pump trunk) (in spare trunk) (closed trunk) (unlocked trunk) (intact spare) (not-inflated spare))
  (:goal (and (have spare) (inflated spare))))
