/* five_bar: inverse_dynamics

   Written by gough; change the robot's description and write it again rather than this text.
   Parameters are an input: prepare a design once.

   Operations of a state: multiply-adds 52, multiplications 43, additions 5, divisions 1, sines and cosines 8.
   Operations of a design: multiply-adds 2, multiplications 2, divisions 1.

   Compile as C99 and link with libm: cc -std=c99 -O2 -c five_bar_inverse_dynamics.c. Fastest with the machine's
   vectors and multiply-adds, for gcc: -O3 -march=native -ffp-contract=fast -fno-math-errno. Not with
   -ffast-math: the status relies on NaN, angles on the order of operations.

   All arrays are double precision, matrices row by row; SI units; world axes unless a name says otherwise.

   in   q[4] [m, 1, rad]
          0 left_motor [rad]
          1 left_elbow [rad]
          2 right_motor [rad]
          3 right_elbow [rad]

   in   v[2] [m/s, rad/s]
          0 left_motor [rad/s]
          1 right_motor [rad/s]

   in   acceleration[2] [m/s2, rad/s2]
          0 d2/dt2 left_motor [rad/s2]
          1 d2/dt2 right_motor [rad/s2]

   in   force[2] [N, N m]
          0 force along left_motor [N m]
          1 force along right_motor [N m]

   out  tau[2] [N, N m]
          0 left_motor [N m]
          1 right_motor [N m]

   in   parameters[132], once a design; read are
          3 left_motor.x [m]
         18 left_crank.ZZ [kg m2]
         32 left_elbow.x [m]
         38 left_rod.M [kg]
         39 left_rod.MX [kg m]
         47 left_rod.ZZ [kg m2]
         63 right_motor.x [m]
         78 right_crank.ZZ [kg m2]
         92 right_elbow.x [m]
         98 right_rod.M [kg]
         99 right_rod.MX [kg m]
        107 right_rod.ZZ [kg m2]
        117 pin.first.x [m]
        123 pin.second.x [m]
        structural zeros, folded in; a design in which one differs is refused:
          0 gravity.x, 1 gravity.y, 4 left_motor.y, 5 left_motor.z, 6 left_motor.yaw, 7 left_motor.pitch, 8
          left_motor.roll, 11 left_crank.MY, 12 left_crank.MZ, 14 left_crank.XY, 15 left_crank.XZ, 17
          left_crank.YZ, 19 left_motor.friction.viscous, 20 left_motor.friction.coulomb, 21
          left_motor.friction.smoothing, 22 left_motor.rotor_inertia, 23 left_motor.drive.friction.viscous, 24
          left_motor.drive.friction.coulomb, 25 left_motor.drive.friction.smoothing, 26 left_crank.frame.x, 27
          left_crank.frame.y, 28 left_crank.frame.z, 29 left_crank.frame.yaw, 30 left_crank.frame.pitch, 31
          left_crank.frame.roll, 33 left_elbow.y, 34 left_elbow.z, 35 left_elbow.yaw, 36 left_elbow.pitch, 37
          left_elbow.roll, 40 left_rod.MY, 41 left_rod.MZ, 43 left_rod.XY, 44 left_rod.XZ, 46 left_rod.YZ, 48
          left_elbow.friction.viscous, 49 left_elbow.friction.coulomb, 50 left_elbow.friction.smoothing, 51
          left_rod.frame.x, 52 left_rod.frame.y, 53 left_rod.frame.z, 54 left_rod.frame.yaw, 55
          left_rod.frame.pitch, 56 left_rod.frame.roll, 58 left_rod.frames.tool.y, 60 left_rod.frames.tool.yaw,
          61 left_rod.frames.tool.pitch, 62 left_rod.frames.tool.roll, 64 right_motor.y, 65 right_motor.z, 66
          right_motor.yaw, 67 right_motor.pitch, 68 right_motor.roll, 71 right_crank.MY, 72 right_crank.MZ, 74
          right_crank.XY, 75 right_crank.XZ, 77 right_crank.YZ, 79 right_motor.friction.viscous, 80
          right_motor.friction.coulomb, 81 right_motor.friction.smoothing, 82 right_motor.rotor_inertia, 83
          right_motor.drive.friction.viscous, 84 right_motor.drive.friction.coulomb, 85
          right_motor.drive.friction.smoothing, 86 right_crank.frame.x, 87 right_crank.frame.y, 88
          right_crank.frame.z, 89 right_crank.frame.yaw, 90 right_crank.frame.pitch, 91 right_crank.frame.roll,
          93 right_elbow.y, 94 right_elbow.z, 95 right_elbow.yaw, 96 right_elbow.pitch, 97 right_elbow.roll, 100
          right_rod.MY, 101 right_rod.MZ, 103 right_rod.XY, 104 right_rod.XZ, 106 right_rod.YZ, 108
          right_elbow.friction.viscous, 109 right_elbow.friction.coulomb, 110 right_elbow.friction.smoothing,
          111 right_rod.frame.x, 112 right_rod.frame.y, 113 right_rod.frame.z, 114 right_rod.frame.yaw, 115
          right_rod.frame.pitch, 116 right_rod.frame.roll, 118 pin.first.y, 119 pin.first.z, 120 pin.first.yaw,
          121 pin.first.pitch, 122 pin.first.roll, 124 pin.second.y, 125 pin.second.z, 126 pin.second.yaw, 127
          pin.second.pitch, 128 pin.second.roll, 129 pin.friction.viscous, 130 pin.friction.coulomb, 131
          pin.friction.smoothing
        not read:
          2 gravity.z, 9 left_crank.M, 10 left_crank.MX, 13 left_crank.XX, 16 left_crank.YY, 42 left_rod.XX, 45
          left_rod.YY, 57 left_rod.frames.tool.x, 59 left_rod.frames.tool.z, 69 right_crank.M, 70
          right_crank.MX, 73 right_crank.XX, 76 right_crank.YY, 102 right_rod.XX, 105 right_rod.YY
*/
#ifndef FIVE_BAR_INVERSE_DYNAMICS_H
#define FIVE_BAR_INVERSE_DYNAMICS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Lengths of the arrays. */
enum {
    FIVE_BAR_INVERSE_DYNAMICS_Q_SIZE = 4,
    FIVE_BAR_INVERSE_DYNAMICS_V_SIZE = 2,
    FIVE_BAR_INVERSE_DYNAMICS_ACCELERATION_SIZE = 2,
    FIVE_BAR_INVERSE_DYNAMICS_FORCE_SIZE = 2,
    FIVE_BAR_INVERSE_DYNAMICS_PARAMETERS_SIZE = 132,
    FIVE_BAR_INVERSE_DYNAMICS_TAU_SIZE = 2,
    FIVE_BAR_INVERSE_DYNAMICS_PREPARED_SIZE = 14
};

/* Status: bit number of each check. Outputs are always computed; trust them where the status is 0, and only there.
   A bit is set where its check fails: (status >> NAME) & 1. */
enum {
    FIVE_BAR_INVERSE_DYNAMICS_NOT_FINITE_RESULT = 0,
    FIVE_BAR_INVERSE_DYNAMICS_OPEN_LOOP_PIN = 1,
    FIVE_BAR_INVERSE_DYNAMICS_FOLDED_PIN = 2,
    FIVE_BAR_INVERSE_DYNAMICS_CHECKS = 3
};

/* Texts of the bits, in their order. */
extern const char *const five_bar_inverse_dynamics_check_names[3];

/* The design this was written for. */
extern const double five_bar_inverse_dynamics_parameters[132];

/* Work that is done once a design. Returns 0, or 1 + the position of the first parameter that differs from the
   structural value (a zero, a right angle) this program was made with: `prepared` is then not filled. */
int five_bar_inverse_dynamics_prepare(const double parameters[132], double prepared[14]);

/* Outputs of one state; returns its status word. */
uint64_t five_bar_inverse_dynamics(
    const double q[4],
    const double v[2],
    const double acceleration[2],
    const double force[2],
    const double prepared[14],
    double tau[2]);

#ifdef __cplusplus
}
#endif

#endif
