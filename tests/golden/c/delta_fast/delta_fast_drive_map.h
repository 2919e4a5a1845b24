/* delta_fast: drive_map

   Written by gough; change the robot's description and write it again rather than this text.
   Parameters are an input: prepare a design once.

   Operations of a state: multiply-adds 10, multiplications 4, additions 11, and in each of 3 lanes multiply-adds
   73, and in each of 3 lanes multiplications 34, and in each of 3 lanes additions 9, and in each of 3 lanes
   divisions 1.
   Operations of a design: multiply-adds 6, multiplications 6, sines and cosines 6.

   Compile as C99 and link with libm: cc -std=c99 -O2 -c delta_fast_drive_map.c. Fastest with the machine's
   vectors and multiply-adds, for gcc: -O3 -march=native -ffp-contract=fast -fno-math-errno. Not with
   -ffast-math: the status relies on NaN, angles on the order of operations.

   All arrays are double precision, matrices row by row; SI units; world axes unless a name says otherwise.

   in   q[19] [m, 1, rad]
          0 x [m]
          1 y [m]
          2 z [m]
          3 qw [1]
          4 qx [1]
          5 qy [1]
          6 qz [1]
          7 leg0.arm [rad]
          8 leg0.elbow_1 [rad]
          9 leg0.elbow_2 [rad]
         10 leg1.arm [rad]
         11 leg1.elbow_1 [rad]
         12 leg1.elbow_2 [rad]
         13 leg2.arm [rad]
         14 leg2.elbow_1 [rad]
         15 leg2.elbow_2 [rad]
         16 platform.along_x [m]
         17 platform.along_y [m]
         18 platform.along_z [m]

   out  S[9] [1, m], 3 rows of 3
          0 vx leg0.arm
          1 vx leg1.arm
          2 vx leg2.arm
          3 vy leg0.arm
          4 vy leg1.arm
          5 vy leg2.arm
          6 vz leg0.arm
          7 vz leg1.arm
          8 vz leg2.arm

   in   parameters[286], once a design; read are
          3 leg0.arm.x [m]
          4 leg0.arm.y [m]
          6 leg0.arm.yaw [rad]
         32 leg0.elbow.x [m]
         57 leg1.arm.x [m]
         58 leg1.arm.y [m]
         60 leg1.arm.yaw [rad]
         86 leg1.elbow.x [m]
        111 leg2.arm.x [m]
        112 leg2.arm.y [m]
        114 leg2.arm.yaw [rad]
        140 leg2.elbow.x [m]
        228 leg0.ball.first.z [m]
        232 leg0.ball.second.x [m]
        233 leg0.ball.second.y [m]
        243 leg1.ball.first.z [m]
        247 leg1.ball.second.x [m]
        248 leg1.ball.second.y [m]
        258 leg2.ball.first.z [m]
        262 leg2.ball.second.x [m]
        263 leg2.ball.second.y [m]
        structural zeros, folded in; a design in which one differs is refused:
          0 gravity.x, 1 gravity.y, 5 leg0.arm.z, 7 leg0.arm.pitch, 8 leg0.arm.roll, 11 leg0.arm.MY, 12
          leg0.arm.MZ, 14 leg0.arm.XY, 15 leg0.arm.XZ, 17 leg0.arm.YZ, 19 leg0.arm.friction.viscous, 20
          leg0.arm.friction.coulomb, 21 leg0.arm.friction.smoothing, 23 leg0.arm.drive.friction.viscous, 24
          leg0.arm.drive.friction.coulomb, 25 leg0.arm.drive.friction.smoothing, 26 leg0.arm.frame.x, 27
          leg0.arm.frame.y, 28 leg0.arm.frame.z, 29 leg0.arm.frame.yaw, 30 leg0.arm.frame.pitch, 31
          leg0.arm.frame.roll, 33 leg0.elbow.y, 34 leg0.elbow.z, 35 leg0.elbow.yaw, 36 leg0.elbow.pitch, 37
          leg0.elbow.roll, 38 leg0.elbow.friction.viscous, 39 leg0.elbow.friction.coulomb, 40
          leg0.elbow.friction.smoothing, 42 leg0.rods.MX, 43 leg0.rods.MY, 46 leg0.rods.XY, 47 leg0.rods.XZ, 49
          leg0.rods.YZ, 51 leg0.rods.frame.x, 52 leg0.rods.frame.y, 53 leg0.rods.frame.z, 54
          leg0.rods.frame.yaw, 55 leg0.rods.frame.pitch, 56 leg0.rods.frame.roll, 59 leg1.arm.z, 61
          leg1.arm.pitch, 62 leg1.arm.roll, 65 leg1.arm.MY, 66 leg1.arm.MZ, 68 leg1.arm.XY, 69 leg1.arm.XZ, 71
          leg1.arm.YZ, 73 leg1.arm.friction.viscous, 74 leg1.arm.friction.coulomb, 75
          leg1.arm.friction.smoothing, 77 leg1.arm.drive.friction.viscous, 78 leg1.arm.drive.friction.coulomb,
          79 leg1.arm.drive.friction.smoothing, 80 leg1.arm.frame.x, 81 leg1.arm.frame.y, 82 leg1.arm.frame.z,
          83 leg1.arm.frame.yaw, 84 leg1.arm.frame.pitch, 85 leg1.arm.frame.roll, 87 leg1.elbow.y, 88
          leg1.elbow.z, 89 leg1.elbow.yaw, 90 leg1.elbow.pitch, 91 leg1.elbow.roll, 92
          leg1.elbow.friction.viscous, 93 leg1.elbow.friction.coulomb, 94 leg1.elbow.friction.smoothing, 96
          leg1.rods.MX, 97 leg1.rods.MY, 100 leg1.rods.XY, 101 leg1.rods.XZ, 103 leg1.rods.YZ, 105
          leg1.rods.frame.x, 106 leg1.rods.frame.y, 107 leg1.rods.frame.z, 108 leg1.rods.frame.yaw, 109
          leg1.rods.frame.pitch, 110 leg1.rods.frame.roll, 113 leg2.arm.z, 115 leg2.arm.pitch, 116
          leg2.arm.roll, 119 leg2.arm.MY, 120 leg2.arm.MZ, 122 leg2.arm.XY, 123 leg2.arm.XZ, 125 leg2.arm.YZ,
          127 leg2.arm.friction.viscous, 128 leg2.arm.friction.coulomb, 129 leg2.arm.friction.smoothing, 131
          leg2.arm.drive.friction.viscous, 132 leg2.arm.drive.friction.coulomb, 133
          leg2.arm.drive.friction.smoothing, 134 leg2.arm.frame.x, 135 leg2.arm.frame.y, 136 leg2.arm.frame.z,
          137 leg2.arm.frame.yaw, 138 leg2.arm.frame.pitch, 139 leg2.arm.frame.roll, 141 leg2.elbow.y, 142
          leg2.elbow.z, 143 leg2.elbow.yaw, 144 leg2.elbow.pitch, 145 leg2.elbow.roll, 146
          leg2.elbow.friction.viscous, 147 leg2.elbow.friction.coulomb, 148 leg2.elbow.friction.smoothing, 150
          leg2.rods.MX, 151 leg2.rods.MY, 154 leg2.rods.XY, 155 leg2.rods.XZ, 157 leg2.rods.YZ, 159
          leg2.rods.frame.x, 160 leg2.rods.frame.y, 161 leg2.rods.frame.z, 162 leg2.rods.frame.yaw, 163
          leg2.rods.frame.pitch, 164 leg2.rods.frame.roll, 165 platform.along_x.x, 166 platform.along_x.y, 167
          platform.along_x.z, 168 platform.along_x.yaw, 169 platform.along_x.pitch, 170 platform.along_x.roll,
          171 platform.along_x.friction.viscous, 172 platform.along_x.friction.coulomb, 173
          platform.along_x.friction.smoothing, 174 platform.along_x.frame.x, 175 platform.along_x.frame.y, 176
          platform.along_x.frame.z, 177 platform.along_x.frame.yaw, 178 platform.along_x.frame.pitch, 179
          platform.along_x.frame.roll, 180 platform.along_y.x, 181 platform.along_y.y, 182 platform.along_y.z,
          183 platform.along_y.yaw, 184 platform.along_y.pitch, 185 platform.along_y.roll, 186
          platform.along_y.friction.viscous, 187 platform.along_y.friction.coulomb, 188
          platform.along_y.friction.smoothing, 189 platform.along_y.frame.x, 190 platform.along_y.frame.y, 191
          platform.along_y.frame.z, 192 platform.along_y.frame.yaw, 193 platform.along_y.frame.pitch, 194
          platform.along_y.frame.roll, 195 platform.along_z.x, 196 platform.along_z.y, 197 platform.along_z.z,
          198 platform.along_z.yaw, 199 platform.along_z.pitch, 200 platform.along_z.roll, 202 platform.MX, 203
          platform.MY, 206 platform.XY, 207 platform.XZ, 209 platform.YZ, 211 platform.along_z.friction.viscous,
          212 platform.along_z.friction.coulomb, 213 platform.along_z.friction.smoothing, 214 platform.frame.x,
          215 platform.frame.y, 216 platform.frame.z, 217 platform.frame.yaw, 218 platform.frame.pitch, 219
          platform.frame.roll, 220 platform.frames.tool.x, 221 platform.frames.tool.y, 223
          platform.frames.tool.yaw, 224 platform.frames.tool.pitch, 225 platform.frames.tool.roll, 226
          leg0.ball.first.x, 227 leg0.ball.first.y, 229 leg0.ball.first.yaw, 230 leg0.ball.first.pitch, 231
          leg0.ball.first.roll, 234 leg0.ball.second.z, 236 leg0.ball.second.pitch, 237 leg0.ball.second.roll,
          238 leg0.ball.friction.viscous, 239 leg0.ball.friction.coulomb, 240 leg0.ball.friction.smoothing, 241
          leg1.ball.first.x, 242 leg1.ball.first.y, 244 leg1.ball.first.yaw, 245 leg1.ball.first.pitch, 246
          leg1.ball.first.roll, 249 leg1.ball.second.z, 251 leg1.ball.second.pitch, 252 leg1.ball.second.roll,
          253 leg1.ball.friction.viscous, 254 leg1.ball.friction.coulomb, 255 leg1.ball.friction.smoothing, 256
          leg2.ball.first.x, 257 leg2.ball.first.y, 259 leg2.ball.first.yaw, 260 leg2.ball.first.pitch, 261
          leg2.ball.first.roll, 264 leg2.ball.second.z, 266 leg2.ball.second.pitch, 267 leg2.ball.second.roll,
          268 leg2.ball.friction.viscous, 269 leg2.ball.friction.coulomb, 270 leg2.ball.friction.smoothing, 271
          platform.platform.first.x, 272 platform.platform.first.y, 273 platform.platform.first.z, 274
          platform.platform.first.yaw, 275 platform.platform.first.pitch, 276 platform.platform.first.roll, 277
          platform.platform.second.x, 278 platform.platform.second.y, 279 platform.platform.second.z, 280
          platform.platform.second.yaw, 281 platform.platform.second.pitch, 282 platform.platform.second.roll,
          283 platform.platform.friction.viscous, 284 platform.platform.friction.coulomb, 285
          platform.platform.friction.smoothing
        not read:
          2 gravity.z, 9 leg0.arm.M, 10 leg0.arm.MX, 13 leg0.arm.XX, 16 leg0.arm.YY, 18 leg0.arm.ZZ, 22
          leg0.arm.rotor_inertia, 41 leg0.rods.M, 44 leg0.rods.MZ, 45 leg0.rods.XX, 48 leg0.rods.YY, 50
          leg0.rods.ZZ, 63 leg1.arm.M, 64 leg1.arm.MX, 67 leg1.arm.XX, 70 leg1.arm.YY, 72 leg1.arm.ZZ, 76
          leg1.arm.rotor_inertia, 95 leg1.rods.M, 98 leg1.rods.MZ, 99 leg1.rods.XX, 102 leg1.rods.YY, 104
          leg1.rods.ZZ, 117 leg2.arm.M, 118 leg2.arm.MX, 121 leg2.arm.XX, 124 leg2.arm.YY, 126 leg2.arm.ZZ, 130
          leg2.arm.rotor_inertia, 149 leg2.rods.M, 152 leg2.rods.MZ, 153 leg2.rods.XX, 156 leg2.rods.YY, 158
          leg2.rods.ZZ, 201 platform.M, 204 platform.MZ, 205 platform.XX, 208 platform.YY, 210 platform.ZZ, 222
          platform.frames.tool.z, 235 leg0.ball.second.yaw, 250 leg1.ball.second.yaw, 265 leg2.ball.second.yaw
*/
#ifndef DELTA_FAST_DRIVE_MAP_H
#define DELTA_FAST_DRIVE_MAP_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Lengths of the arrays. */
enum {
    DELTA_FAST_DRIVE_MAP_Q_SIZE = 19,
    DELTA_FAST_DRIVE_MAP_PARAMETERS_SIZE = 286,
    DELTA_FAST_DRIVE_MAP_S_SIZE = 9,
    DELTA_FAST_DRIVE_MAP_PREPARED_SIZE = 35
};

/* Status: bit number of each check. Outputs are always computed; trust them where the status is 0, and only there.
   A bit is set where its check fails: (status >> NAME) & 1. */
enum {
    DELTA_FAST_DRIVE_MAP_NOT_FINITE_RESULT = 0,
    DELTA_FAST_DRIVE_MAP_BAD_QUATERNION_PLATFORM = 1,
    DELTA_FAST_DRIVE_MAP_OPEN_LOOP_LEG0 = 2,
    DELTA_FAST_DRIVE_MAP_OPEN_LOOP_LEG1 = 3,
    DELTA_FAST_DRIVE_MAP_OPEN_LOOP_LEG2 = 4,
    DELTA_FAST_DRIVE_MAP_OPEN_LOOP_PLATFORM_PLATFORM = 5,
    DELTA_FAST_DRIVE_MAP_FOLDED_LEG0 = 6,
    DELTA_FAST_DRIVE_MAP_FOLDED_LEG1 = 7,
    DELTA_FAST_DRIVE_MAP_FOLDED_LEG2 = 8,
    DELTA_FAST_DRIVE_MAP_ANGLE_TOO_LARGE_TO_REDUCE = 9,
    DELTA_FAST_DRIVE_MAP_CHECKS = 10
};

/* Texts of the bits, in their order. */
extern const char *const delta_fast_drive_map_check_names[10];

/* The design this was written for. */
extern const double delta_fast_drive_map_parameters[286];

/* Work that is done once a design. Returns 0, or 1 + the position of the first parameter that differs from the
   structural value (a zero, a right angle) this program was made with: `prepared` is then not filled. */
int delta_fast_drive_map_prepare(const double parameters[286], double prepared[35]);

/* Outputs of one state; returns its status word. */
uint64_t delta_fast_drive_map(const double q[19], const double prepared[35], double S[9]);

#ifdef __cplusplus
}
#endif

#endif
