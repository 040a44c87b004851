(define (problem example) (:domain blocksworld-4ops) (:objects red blue)
  (:init (arm-empty) (on-table blue) (on red blue) (clear red)) (:goal (on blue red)))
