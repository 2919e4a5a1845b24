#include "delta_fast_drive_map.h"

#include <math.h>
#include <string.h>

const char *const delta_fast_drive_map_check_names[] = {
    "not_finite:result",
    "bad_quaternion:platform",
    "open_loop:leg0",
    "open_loop:leg1",
    "open_loop:leg2",
    "open_loop:platform.platform",
    "folded:leg0",
    "folded:leg1",
    "folded:leg2",
    "angle:too large to reduce",
};

const double delta_fast_drive_map_parameters[286] = {
    0.0, 0.0, (-9.81), 0.16, 0.0, 0.0, 0.0, 0.0, 0.0, 1.4, 0.27999999999999997, 0.0, 0.0, 0.002, 0.0,
    0.0, 0.09100000000000001, 0.0, 0.092, 0.0, 0.0, 0.0, 0.09801, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
    0.0, 0.0, 0.52, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.38, 0.0, 0.0, (-0.2356), 0.194672, 0.0,
    0.0, 0.194672, 0.0, 1.6e-05, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, (-0.08), 0.13856406460551018, 0.0,
    2.0943951023931953, 0.0, 0.0, 1.4, 0.27999999999999997, 0.0, 0.0, 0.002, 0.0, 0.0,
    0.09100000000000001, 0.0, 0.092, 0.0, 0.0, 0.0, 0.09801, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
    0.0, 0.52, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.38, 0.0, 0.0, (-0.2356), 0.194672, 0.0, 0.0,
    0.194672, 0.0, 1.6e-05, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, (-0.08), (-0.13856406460551018), 0.0,
    (-2.094395102393196), 0.0, 0.0, 1.4, 0.27999999999999997, 0.0, 0.0, 0.002, 0.0, 0.0,
    0.09100000000000001, 0.0, 0.092, 0.0, 0.0, 0.0, 0.09801, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
    0.0, 0.52, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.38, 0.0, 0.0, (-0.2356), 0.194672, 0.0, 0.0,
    0.194672, 0.0, 1.6e-05, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
    0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
    0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.9, 0.0, 0.0, (-0.018000000000000002), 0.00156, 0.0, 0.0,
    0.00156, 0.0, 0.0022, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, (-0.06), 0.0, 0.0, 0.0,
    0.0, 0.0, (-1.24), 0.0, 0.0, 0.0, 0.045, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, (-1.24),
    0.0, 0.0, 0.0, (-0.0225), 0.03897114317029974, 0.0, 2.0943951023931953, 0.0, 0.0, 0.0, 0.0, 0.0,
    0.0, 0.0, (-1.24), 0.0, 0.0, 0.0, (-0.0225), (-0.03897114317029974), 0.0, (-2.094395102393196), 0.0,
    0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
};

/* Sine and cosine from those of the remainder after whole quarter turns; the last two bits of t count the turns. */
static double quadrant_sin(double t, double s, double c) {
    uint64_t turns;
    memcpy(&turns, &t, sizeof turns);
    const double x = (turns & 1) != 0 ? c : s;
    return (turns & 2) != 0 ? -x : x;
}

static double quadrant_cos(double t, double s, double c) {
    uint64_t turns;
    memcpy(&turns, &t, sizeof turns);
    const double x = (turns & 1) != 0 ? s : c;
    return ((turns + 1) & 2) != 0 ? -x : x;
}

int delta_fast_drive_map_prepare(const double parameters[286], double prepared[35]) {
    /* Structure: these inputs must have the values the program was made with. */
    static const int place_0[147] = {
        0, 1, 5, 11, 12, 14, 15, 17, 19, 20, 21, 23, 24, 25, 26, 27, 28, 33, 34, 38, 39, 40, 42, 43, 46, 47,
        49, 51, 52, 53, 59, 65, 66, 68, 69, 71, 73, 74, 75, 77, 78, 79, 80, 81, 82, 87, 88, 92, 93, 94, 96,
        97, 100, 101, 103, 105, 106, 107, 113, 119, 120, 122, 123, 125, 127, 128, 129, 131, 132, 133, 134,
        135, 136, 141, 142, 146, 147, 148, 150, 151, 154, 155, 157, 159, 160, 161, 165, 166, 167, 171, 172,
        173, 174, 175, 176, 180, 181, 182, 186, 187, 188, 189, 190, 191, 195, 196, 197, 202, 203, 206, 207,
        209, 211, 212, 213, 214, 215, 216, 220, 221, 226, 227, 234, 238, 239, 240, 241, 242, 249, 253, 254,
        255, 256, 257, 264, 268, 269, 270, 271, 272, 273, 277, 278, 279, 283, 284, 285,
    };
    for (int k = 0; k < 147; ++k) {
        if (!(fabs(parameters[place_0[k]] - 0.0) <= 0.0)) {
            return place_0[k] + 1;
        }
    }
    static const int place_1[75] = {
        7, 8, 29, 30, 31, 35, 36, 37, 54, 55, 56, 61, 62, 83, 84, 85, 89, 90, 91, 108, 109, 110, 115, 116,
        137, 138, 139, 143, 144, 145, 162, 163, 164, 168, 169, 170, 177, 178, 179, 183, 184, 185, 192, 193,
        194, 198, 199, 200, 217, 218, 219, 223, 224, 225, 229, 230, 231, 236, 237, 244, 245, 246, 251, 252,
        259, 260, 261, 266, 267, 274, 275, 276, 280, 281, 282,
    };
    for (int k = 0; k < 75; ++k) {
        if (!(fabs(parameters[place_1[k]] - 0.0) <= 1e-12)) {
            return place_1[k] + 1;
        }
    }

    const double t0 = sin(parameters[6]);
    const double t1 = cos(parameters[6]);
    const double t2 = sin(parameters[60]);
    const double t3 = cos(parameters[60]);
    const double t4 = sin(parameters[114]);
    const double t5 = cos(parameters[114]);

    /* leg0: closure [Briot 2014, eq. 28], [Long 2014, eq. 3] */
    const double t6 = parameters[3] * t1;
    const double t7 = parameters[4] * t0 + t6;
    const double t8 = parameters[4] * t1;
    const double t9 = t8 - parameters[3] * t0;

    /* leg1: closure [Briot 2014, eq. 28], [Long 2014, eq. 3] */
    const double t10 = parameters[57] * t3;
    const double t11 = parameters[58] * t2 + t10;
    const double t12 = parameters[58] * t3;
    const double t13 = t12 - parameters[57] * t2;

    /* leg2: closure [Briot 2014, eq. 28], [Long 2014, eq. 3] */
    const double t14 = parameters[111] * t5;
    const double t15 = parameters[112] * t4 + t14;
    const double t16 = parameters[112] * t5;
    const double t17 = t16 - parameters[111] * t4;

    /* leg0: projection [Fried, eq. 94] */
    const double t18 = fabs(parameters[228]);

    /* leg1: projection [Fried, eq. 94] */
    const double t19 = fabs(parameters[243]);

    /* leg2: projection [Fried, eq. 94] */
    const double t20 = fabs(parameters[258]);

    prepared[0] = parameters[228];
    prepared[1] = parameters[243];
    prepared[2] = parameters[258];
    prepared[3] = parameters[258];
    prepared[4] = parameters[32];
    prepared[5] = parameters[86];
    prepared[6] = parameters[140];
    prepared[7] = parameters[140];
    prepared[8] = t7;
    prepared[9] = t11;
    prepared[10] = t15;
    prepared[11] = t15;
    prepared[12] = t9;
    prepared[13] = t13;
    prepared[14] = t17;
    prepared[15] = t17;
    prepared[16] = parameters[233];
    prepared[17] = parameters[248];
    prepared[18] = parameters[263];
    prepared[19] = parameters[263];
    prepared[20] = parameters[232];
    prepared[21] = parameters[247];
    prepared[22] = parameters[262];
    prepared[23] = parameters[262];
    prepared[24] = t1;
    prepared[25] = t3;
    prepared[26] = t5;
    prepared[27] = t5;
    prepared[28] = t0;
    prepared[29] = t2;
    prepared[30] = t4;
    prepared[31] = t4;
    prepared[32] = t18;
    prepared[33] = t19;
    prepared[34] = t20;
    return 0;
}

uint64_t delta_fast_drive_map(const double q[19], const double prepared[35], double S[9]) {
    uint64_t status = 0;
    const double t0 = q[3] * q[3];
    const double t1 = q[0] - q[16];
    const double t2 = q[1] - q[17];
    const double t3 = q[2] - q[18];
    const double t4 = t1 * t1;
    const double t5 = t2 * t2;
    const double t6 = t3 * t3;
    const double g0[4] = {q[4], q[5], q[6], q[6]};
    const double g1[4] = {q[7], q[10], q[13], q[13]};
    const double g2[4] = {q[8], q[11], q[14], q[14]};
    const double g3[4] = {q[9], q[12], q[15], q[15]};

    /* 3 lanes at once, filled up to 4 */
    double g4[4];
    double g5[4];
    double g6[4];
    double g7[4];
    double g8[4];
    double g9[4];
    double g10[4];
    double g11[4];
    double g12[4];
    double g13[4];
    double g14[4];
    double g15[4];
    double g16[4];
    double g17[4];
    static const double g18[4] = {4.59e-10, 4.65e-10, 4.64e-10, 4.64e-10};
    for (int k = 0; k < 4; ++k) {
        const double t7 = 2.0 * g0[k];
        const double t8 = g0[k] * t7;
        const double t9 = t7 * q[3];

        /* sines and cosines: whole quarter turns are taken off, then the polynomials of fdlibm */
        const double t10 = g1[k] * 0.6366197723675814 + 6755399441055744.0;
        const double t11 = t10 - 6755399441055744.0;
        const double t12 = g1[k] - t11 * 1.5707963267341256;
        const double t13 = t12 - t11 * 6.077100506303966e-11;
        const double t14 = t13 - t11 * 2.0222662487959506e-21;
        const double t15 = t14 * t14;
        const double t16 = t15 * 1.58969099521155e-10 + (-2.5050760253406863e-08);
        const double t17 = t15 * (-1.1359647557788195e-11) + 2.087572321298175e-09;
        const double t18 = t16 * t15 + 2.7557313707070068e-06;
        const double t19 = t17 * t15 + (-2.7557314351390663e-07);
        const double t20 = t18 * t15 + (-0.0001984126982985795);
        const double t21 = t19 * t15 + 2.480158728947673e-05;
        const double t22 = t20 * t15 + 0.00833333333332249;
        const double t23 = t21 * t15 + (-0.001388888888887411);
        const double t24 = t22 * t15 + (-0.16666666666666632);
        const double t25 = t23 * t15 + 0.0416666666666666;
        const double t26 = t14 * t15;
        const double t27 = t24 * t26 + t14;
        const double t28 = 1.0 - t15 * 0.5;
        const double t29 = t15 * t15;
        const double t30 = t25 * t29 + t28;
        const double t31 = fabs(g1[k]);
        const double t32 = 1000000.0 - t31;
        const double t33 = quadrant_sin(t10, t27, t30);
        const double t34 = quadrant_cos(t10, t27, t30);
        const double t35 = g2[k] * 0.6366197723675814 + 6755399441055744.0;
        const double t36 = t35 - 6755399441055744.0;
        const double t37 = g2[k] - t36 * 1.5707963267341256;
        const double t38 = t37 - t36 * 6.077100506303966e-11;
        const double t39 = t38 - t36 * 2.0222662487959506e-21;
        const double t40 = t39 * t39;
        const double t41 = t40 * 1.58969099521155e-10 + (-2.5050760253406863e-08);
        const double t42 = t40 * (-1.1359647557788195e-11) + 2.087572321298175e-09;
        const double t43 = t41 * t40 + 2.7557313707070068e-06;
        const double t44 = t42 * t40 + (-2.7557314351390663e-07);
        const double t45 = t43 * t40 + (-0.0001984126982985795);
        const double t46 = t44 * t40 + 2.480158728947673e-05;
        const double t47 = t45 * t40 + 0.00833333333332249;
        const double t48 = t46 * t40 + (-0.001388888888887411);
        const double t49 = t47 * t40 + (-0.16666666666666632);
        const double t50 = t48 * t40 + 0.0416666666666666;
        const double t51 = t39 * t40;
        const double t52 = t49 * t51 + t39;
        const double t53 = 1.0 - t40 * 0.5;
        const double t54 = t40 * t40;
        const double t55 = t50 * t54 + t53;
        const double t56 = fabs(g2[k]);
        const double t57 = 1000000.0 - t56;
        const double t58 = quadrant_sin(t35, t52, t55);
        const double t59 = quadrant_cos(t35, t52, t55);
        const double t60 = g3[k] * 0.6366197723675814 + 6755399441055744.0;
        const double t61 = t60 - 6755399441055744.0;
        const double t62 = g3[k] - t61 * 1.5707963267341256;
        const double t63 = t62 - t61 * 6.077100506303966e-11;
        const double t64 = t63 - t61 * 2.0222662487959506e-21;
        const double t65 = t64 * t64;
        const double t66 = t65 * 1.58969099521155e-10 + (-2.5050760253406863e-08);
        const double t67 = t65 * (-1.1359647557788195e-11) + 2.087572321298175e-09;
        const double t68 = t66 * t65 + 2.7557313707070068e-06;
        const double t69 = t67 * t65 + (-2.7557314351390663e-07);
        const double t70 = t68 * t65 + (-0.0001984126982985795);
        const double t71 = t69 * t65 + 2.480158728947673e-05;
        const double t72 = t70 * t65 + 0.00833333333332249;
        const double t73 = t71 * t65 + (-0.001388888888887411);
        const double t74 = t72 * t65 + (-0.16666666666666632);
        const double t75 = t73 * t65 + 0.0416666666666666;
        const double t76 = t64 * t65;
        const double t77 = t74 * t76 + t64;
        const double t78 = 1.0 - t65 * 0.5;
        const double t79 = t65 * t65;
        const double t80 = t75 * t79 + t78;
        const double t81 = fabs(g3[k]);
        const double t82 = 1000000.0 - t81;
        const double t83 = quadrant_sin(t60, t77, t80);
        const double t84 = quadrant_cos(t60, t77, t80);

        /* leg*: closure [Briot 2014, eq. 28], [Long 2014, eq. 3] */
        const double t85 = t84 * prepared[k];
        const double t86 = t59 * prepared[4 + k];
        const double t87 = t84 * t86;
        const double t88 = t33 * prepared[8 + k];
        const double t89 = g0[k] * g0[k];
        const double t90 = q[17] + prepared[16 + k];
        const double t91 = q[16] + prepared[20 + k];
        const double t92 = t91 * prepared[24 + k];
        const double t93 = t90 * prepared[28 + k] + t92;
        const double t94 = t34 * t93;
        const double t95 = t94 - t33 * q[18];
        const double t96 = t88 - t34 * q[18];
        const double t97 = t96 - t33 * t93;
        const double t98 = t95 - t34 * prepared[8 + k];
        const double t99 = t58 * t97 - t86;
        const double t100 = t59 * t98 + t99;
        const double t101 = -(t34 * prepared[8 + k]) - prepared[4 + k];
        const double t102 = t95 + t101;
        const double t103 = t58 * t102;
        const double t104 = t103 - t59 * t97;
        const double t105 = t83 * t104;
        const double t106 = t90 * prepared[24 + k] - prepared[12 + k];
        const double t107 = t106 - t91 * prepared[28 + k];
        const double t108 = t84 * t107 + t105;
        const double t109 = -(t83 * t107) - prepared[k];
        const double t110 = t84 * t104 + t109;
        const double t111 = 1e-12 - t100 * t100;
        const double t112 = t111 - t110 * t110;
        const double t113 = t112 - t108 * t108;

        /* leg*: projection [Fried, eq. 94] */
        const double t114 = t34 * prepared[24 + k];
        const double t115 = t33 * prepared[24 + k];
        const double t116 = t58 * t114;
        const double t117 = t59 * t115 + t116;
        const double t118 = t83 * prepared[28 + k];
        const double t119 = t84 * t117 + t118;
        const double t120 = t34 * prepared[28 + k];
        const double t121 = t33 * prepared[28 + k];
        const double t122 = t58 * t120;
        const double t123 = t59 * t121 + t122;
        const double t124 = t84 * t123;
        const double t125 = t124 - t83 * prepared[24 + k];
        const double t126 = t34 * t59;
        const double t127 = t126 - t33 * t58;
        const double t128 = t84 * t127;
        const double t129 = 1.0 / t87;
        const double t130 = fabs(t85);
        const double t131 = fabs(t87);
        const double t132 = t119 * t129;
        const double t133 = -t132;
        const double t134 = t125 * t129;
        const double t135 = -t134;
        const double t136 = t128 * t129;
        const double t137 = -t136;
        g4[k] = t7;
        g5[k] = t8;
        g6[k] = t9;
        g7[k] = t133;
        g8[k] = t135;
        g9[k] = t137;
        g10[k] = t89;
        const double t138 = t113 >= 0.0 ? 0.0 : 1.0;
        const double t139 = t130 >= 1.24e-09 ? 0.0 : 1.0;
        const double t140 = t131 >= g18[k] ? 0.0 : 1.0;
        const double t141 = t32 >= 0.0 ? 0.0 : 1.0;
        const double t142 = t57 >= 0.0 ? 0.0 : 1.0;
        const double t143 = t82 >= 0.0 ? 0.0 : 1.0;
        g11[k] = t138;
        g12[k] = t139;
        g13[k] = t140;
        g14[k] = t141;
        g15[k] = t142;
        g16[k] = t143;
        g17[k] = t138 + t139 + t140 + t141 + t142 + t143;
    }
    const double t144 = (g10[0] + g10[1]) + g10[2];
    if (g17[0] + g17[1] + g17[2] > 0.0) {
        status |= (uint64_t)(g11[0] > 0.0) << DELTA_FAST_DRIVE_MAP_OPEN_LOOP_LEG0;
        status |= (uint64_t)(g11[1] > 0.0) << DELTA_FAST_DRIVE_MAP_OPEN_LOOP_LEG1;
        status |= (uint64_t)(g11[2] > 0.0) << DELTA_FAST_DRIVE_MAP_OPEN_LOOP_LEG2;
        status |= (uint64_t)(g12[0] > 0.0) << DELTA_FAST_DRIVE_MAP_FOLDED_LEG0;
        status |= (uint64_t)(g12[1] > 0.0) << DELTA_FAST_DRIVE_MAP_FOLDED_LEG1;
        status |= (uint64_t)(g12[2] > 0.0) << DELTA_FAST_DRIVE_MAP_FOLDED_LEG2;
        status |= (uint64_t)(g13[0] > 0.0) << DELTA_FAST_DRIVE_MAP_FOLDED_LEG0;
        status |= (uint64_t)(g13[1] > 0.0) << DELTA_FAST_DRIVE_MAP_FOLDED_LEG1;
        status |= (uint64_t)(g13[2] > 0.0) << DELTA_FAST_DRIVE_MAP_FOLDED_LEG2;
        status |= (uint64_t)(g14[0] > 0.0) << DELTA_FAST_DRIVE_MAP_ANGLE_TOO_LARGE_TO_REDUCE;
        status |= (uint64_t)(g14[1] > 0.0) << DELTA_FAST_DRIVE_MAP_ANGLE_TOO_LARGE_TO_REDUCE;
        status |= (uint64_t)(g14[2] > 0.0) << DELTA_FAST_DRIVE_MAP_ANGLE_TOO_LARGE_TO_REDUCE;
        status |= (uint64_t)(g15[0] > 0.0) << DELTA_FAST_DRIVE_MAP_ANGLE_TOO_LARGE_TO_REDUCE;
        status |= (uint64_t)(g15[1] > 0.0) << DELTA_FAST_DRIVE_MAP_ANGLE_TOO_LARGE_TO_REDUCE;
        status |= (uint64_t)(g15[2] > 0.0) << DELTA_FAST_DRIVE_MAP_ANGLE_TOO_LARGE_TO_REDUCE;
        status |= (uint64_t)(g16[0] > 0.0) << DELTA_FAST_DRIVE_MAP_ANGLE_TOO_LARGE_TO_REDUCE;
        status |= (uint64_t)(g16[1] > 0.0) << DELTA_FAST_DRIVE_MAP_ANGLE_TOO_LARGE_TO_REDUCE;
        status |= (uint64_t)(g16[2] > 0.0) << DELTA_FAST_DRIVE_MAP_ANGLE_TOO_LARGE_TO_REDUCE;
    }
    const double t145 = g5[1] + g5[2];
    const double t146 = q[5] * g4[0] - g6[2];
    const double t147 = g5[2] + g5[0];
    const double t148 = q[6] * g4[1] - g6[0];
    const double t149 = g4[0] * q[6] - g6[1];
    const double t150 = g5[1] + g5[0];
    const double t151 = t0 + t144;
    const double t152 = t151 - 1.0;
    const double t153 = 4e-12 - t152 * t152;
    const double t154 = 1e-12 - t4;
    const double t155 = t154 - t5;
    const double t156 = t155 - t6;
    const double t157 = t156 - t146 * t146;
    const double t158 = t157 - t148 * t148;
    const double t159 = t158 - t149 * t149;
    const double t160 = t159 - t145 * t145;
    const double t161 = t160 - t147 * t147;
    const double t162 = t161 - t150 * t150;
    status |= (uint64_t)!(t153 >= 0.0) << DELTA_FAST_DRIVE_MAP_BAD_QUATERNION_PLATFORM;
    status |= (uint64_t)!(t162 >= 0.0) << DELTA_FAST_DRIVE_MAP_OPEN_LOOP_PLATFORM_PLATFORM;
    status |= (uint64_t)!(prepared[32] >= 1.24e-09) << DELTA_FAST_DRIVE_MAP_FOLDED_LEG0;
    status |= (uint64_t)!(prepared[33] >= 1.24e-09) << DELTA_FAST_DRIVE_MAP_FOLDED_LEG1;
    status |= (uint64_t)!(prepared[34] >= 1.24e-09) << DELTA_FAST_DRIVE_MAP_FOLDED_LEG2;

    S[0] = g7[0];
    S[1] = g7[1];
    S[2] = g7[2];
    S[3] = g8[0];
    S[4] = g8[1];
    S[5] = g8[2];
    S[6] = g9[0];
    S[7] = g9[1];
    S[8] = g9[2];
    double finite = 0.0;
    finite += 0.0 * S[0] + 0.0 * S[1] + 0.0 * S[2] + 0.0 * S[3] + 0.0 * S[4] + 0.0 * S[5] + 0.0 * S[6] + 0.0 * S[7];
    finite += 0.0 * S[8];
    status |= (uint64_t)!(finite == 0.0) << DELTA_FAST_DRIVE_MAP_NOT_FINITE_RESULT;
    return status;
}
