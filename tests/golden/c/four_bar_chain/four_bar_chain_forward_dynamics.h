/* four_bar_chain: forward_dynamics

   Written by gough; change the robot's description and write it again rather than this text.
   Left out: friction, wrench.
   Parameters are an input: prepare a design once.

   Operations of a state: multiply-adds 75, multiplications 78, additions 3, divisions 3, sines and cosines 10.
   Operations of a design: multiply-adds 4, multiplications 2, additions 2, divisions 2.

   Compile as C99 and link with libm: cc -std=c99 -O2 -c four_bar_chain_forward_dynamics.c. Fastest with the
   machine's vectors and multiply-adds, for gcc: -O3 -march=native -ffp-contract=fast -fno-math-errno. Not with
   -ffast-math: the status relies on NaN, angles on the order of operations.

   All arrays are double precision, matrices row by row; SI units; world axes unless a name says otherwise.

   in   q[5] [m, 1, rad]
          0 foot0 [rad]
          1 foot1 [rad]
          2 foot2 [rad]
          3 tip0 [rad]
          4 tip1 [rad]

   in   v[1] [m/s, rad/s]
          0 foot0 [rad/s]

   out  vdot[1] [m/s2, rad/s2]
          0 d2/dt2 foot0 [rad/s2]

   in   parameters[158], once a design; read are
          1 gravity.y [m/s2]
         11 crank0.MY [kg m]
         18 crank0.ZZ [kg m2]
         28 foot1.x [m]
         36 crank1.MY [kg m]
         43 crank1.ZZ [kg m2]
         53 foot2.x [m]
         61 crank2.MY [kg m]
         68 crank2.ZZ [kg m2]
         79 tip0.y [m]
         84 coupler0.M [kg]
         85 coupler0.MX [kg m]
         93 coupler0.ZZ [kg m2]
        104 tip1.y [m]
        109 coupler1.M [kg]
        110 coupler1.MX [kg m]
        118 coupler1.ZZ [kg m2]
        128 pin0.first.x [m]
        135 pin0.second.y [m]
        143 pin1.first.x [m]
        150 pin1.second.y [m]
        structural zeros, folded in; a design in which one differs is refused:
          0 gravity.x, 2 gravity.z, 3 foot0.x, 4 foot0.y, 5 foot0.z, 6 foot0.yaw, 7 foot0.pitch, 8 foot0.roll,
          10 crank0.MX, 12 crank0.MZ, 14 crank0.XY, 15 crank0.XZ, 16 crank0.YY, 17 crank0.YZ, 22 crank0.frame.x,
          23 crank0.frame.y, 24 crank0.frame.z, 25 crank0.frame.yaw, 26 crank0.frame.pitch, 27
          crank0.frame.roll, 29 foot1.y, 30 foot1.z, 31 foot1.yaw, 32 foot1.pitch, 33 foot1.roll, 35 crank1.MX,
          37 crank1.MZ, 39 crank1.XY, 40 crank1.XZ, 41 crank1.YY, 42 crank1.YZ, 47 crank1.frame.x, 48
          crank1.frame.y, 49 crank1.frame.z, 50 crank1.frame.yaw, 51 crank1.frame.pitch, 52 crank1.frame.roll,
          54 foot2.y, 55 foot2.z, 56 foot2.yaw, 57 foot2.pitch, 58 foot2.roll, 60 crank2.MX, 62 crank2.MZ, 64
          crank2.XY, 65 crank2.XZ, 66 crank2.YY, 67 crank2.YZ, 72 crank2.frame.x, 73 crank2.frame.y, 74
          crank2.frame.z, 75 crank2.frame.yaw, 76 crank2.frame.pitch, 77 crank2.frame.roll, 78 tip0.x, 80
          tip0.z, 81 tip0.yaw, 82 tip0.pitch, 83 tip0.roll, 86 coupler0.MY, 87 coupler0.MZ, 88 coupler0.XX, 89
          coupler0.XY, 90 coupler0.XZ, 92 coupler0.YZ, 97 coupler0.frame.x, 98 coupler0.frame.y, 99
          coupler0.frame.z, 100 coupler0.frame.yaw, 101 coupler0.frame.pitch, 102 coupler0.frame.roll, 103
          tip1.x, 105 tip1.z, 106 tip1.yaw, 107 tip1.pitch, 108 tip1.roll, 111 coupler1.MY, 112 coupler1.MZ, 113
          coupler1.XX, 114 coupler1.XY, 115 coupler1.XZ, 117 coupler1.YZ, 122 coupler1.frame.x, 123
          coupler1.frame.y, 124 coupler1.frame.z, 125 coupler1.frame.yaw, 126 coupler1.frame.pitch, 127
          coupler1.frame.roll, 129 pin0.first.y, 130 pin0.first.z, 131 pin0.first.yaw, 132 pin0.first.pitch, 134
          pin0.second.x, 136 pin0.second.z, 137 pin0.second.yaw, 138 pin0.second.pitch, 144 pin1.first.y, 145
          pin1.first.z, 146 pin1.first.yaw, 147 pin1.first.pitch, 149 pin1.second.x, 151 pin1.second.z, 152
          pin1.second.yaw, 153 pin1.second.pitch
        right angles, likewise:
          133 pin0.first.roll = 3.14159, 139 pin0.second.roll = 3.14159, 148 pin1.first.roll = 3.14159, 154
          pin1.second.roll = 3.14159
        not read:
          9 crank0.M, 13 crank0.XX, 19 foot0.friction.viscous, 20 foot0.friction.coulomb, 21
          foot0.friction.smoothing, 34 crank1.M, 38 crank1.XX, 44 foot1.friction.viscous, 45
          foot1.friction.coulomb, 46 foot1.friction.smoothing, 59 crank2.M, 63 crank2.XX, 69
          foot2.friction.viscous, 70 foot2.friction.coulomb, 71 foot2.friction.smoothing, 91 coupler0.YY, 94
          tip0.friction.viscous, 95 tip0.friction.coulomb, 96 tip0.friction.smoothing, 116 coupler1.YY, 119
          tip1.friction.viscous, 120 tip1.friction.coulomb, 121 tip1.friction.smoothing, 140
          pin0.friction.viscous, 141 pin0.friction.coulomb, 142 pin0.friction.smoothing, 155
          pin1.friction.viscous, 156 pin1.friction.coulomb, 157 pin1.friction.smoothing
*/
#ifndef FOUR_BAR_CHAIN_FORWARD_DYNAMICS_H
#define FOUR_BAR_CHAIN_FORWARD_DYNAMICS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Lengths of the arrays. */
enum {
    FOUR_BAR_CHAIN_FORWARD_DYNAMICS_Q_SIZE = 5,
    FOUR_BAR_CHAIN_FORWARD_DYNAMICS_V_SIZE = 1,
    FOUR_BAR_CHAIN_FORWARD_DYNAMICS_PARAMETERS_SIZE = 158,
    FOUR_BAR_CHAIN_FORWARD_DYNAMICS_VDOT_SIZE = 1,
    FOUR_BAR_CHAIN_FORWARD_DYNAMICS_PREPARED_SIZE = 24
};

/* Status: bit number of each check. Outputs are always computed; trust them where the status is 0, and only there.
   A bit is set where its check fails: (status >> NAME) & 1. */
enum {
    FOUR_BAR_CHAIN_FORWARD_DYNAMICS_NOT_FINITE_RESULT = 0,
    FOUR_BAR_CHAIN_FORWARD_DYNAMICS_OPEN_LOOP_PIN0 = 1,
    FOUR_BAR_CHAIN_FORWARD_DYNAMICS_OPEN_LOOP_PIN1 = 2,
    FOUR_BAR_CHAIN_FORWARD_DYNAMICS_FOLDED_PIN0 = 3,
    FOUR_BAR_CHAIN_FORWARD_DYNAMICS_FOLDED_PIN1 = 4,
    FOUR_BAR_CHAIN_FORWARD_DYNAMICS_SINGULAR_MASS_MATRIX = 5,
    FOUR_BAR_CHAIN_FORWARD_DYNAMICS_CHECKS = 6
};

/* Texts of the bits, in their order. */
extern const char *const four_bar_chain_forward_dynamics_check_names[6];

/* The design this was written for. */
extern const double four_bar_chain_forward_dynamics_parameters[158];

/* Work that is done once a design. Returns 0, or 1 + the position of the first parameter that differs from the
   structural value (a zero, a right angle) this program was made with: `prepared` is then not filled. */
int four_bar_chain_forward_dynamics_prepare(const double parameters[158], double prepared[24]);

/* Outputs of one state; returns its status word. */
uint64_t four_bar_chain_forward_dynamics(
    const double q[5],
    const double v[1],
    const double prepared[24],
    double vdot[1]);

#ifdef __cplusplus
}
#endif

#endif
