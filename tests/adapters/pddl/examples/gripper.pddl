(define (problem example) (:domain gripper-strips) (:objects hall yard ball-x arm1)
  (:init (room hall) (room yard) (ball ball-x) (gripper arm1) (free arm1) (at-robby hall) (at ball-x hall))
  (:goal (at ball-x yard)))
