#include "four_bar_chain_forward_dynamics.h"

#include <math.h>

const char *const four_bar_chain_forward_dynamics_check_names[] = {
    "not_finite:result",
    "open_loop:pin0",
    "open_loop:pin1",
    "folded:pin0",
    "folded:pin1",
    "singular:mass matrix",
};

const double four_bar_chain_forward_dynamics_parameters[158] = {
    0.0, (-9.81), 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.5, 0.0, 0.3333333333333333, 0.0, 0.0,
    0.0, 0.0, 0.3333333333333333, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0,
    0.0, 1.0, 0.0, 0.5, 0.0, 0.3333333333333333, 0.0, 0.0, 0.0, 0.0, 0.3333333333333333, 0.0, 0.0, 0.0,
    0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.5, 0.0, 0.3333333333333333,
    0.0, 0.0, 0.0, 0.0, 0.3333333333333333, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0,
    0.0, 0.0, 0.0, 1.0, 0.5, 0.0, 0.0, 0.0, 0.0, 0.0, 0.3333333333333333, 0.0, 0.3333333333333333, 0.0,
    0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.5, 0.0, 0.0, 0.0, 0.0,
    0.0, 0.3333333333333333, 0.0, 0.3333333333333333, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0,
    0.0, 0.0, 0.0, 0.0, 3.141592653589793, 0.0, 1.0, 0.0, 0.0, 0.0, 3.141592653589793, 0.0, 0.0, 0.0,
    1.0, 0.0, 0.0, 0.0, 0.0, 3.141592653589793, 0.0, 1.0, 0.0, 0.0, 0.0, 3.141592653589793, 0.0, 0.0,
    0.0,
};

int four_bar_chain_forward_dynamics_prepare(const double parameters[158], double prepared[24]) {
    /* Structure: these inputs must have the values the program was made with. */
    static const int place_0[66] = {
        0, 2, 3, 4, 5, 10, 12, 14, 15, 16, 17, 22, 23, 24, 29, 30, 35, 37, 39, 40, 41, 42, 47, 48, 49, 54,
        55, 60, 62, 64, 65, 66, 67, 72, 73, 74, 78, 80, 86, 87, 88, 89, 90, 92, 97, 98, 99, 103, 105, 111,
        112, 113, 114, 115, 117, 122, 123, 124, 129, 130, 134, 136, 144, 145, 149, 151,
    };
    for (int k = 0; k < 66; ++k) {
        if (!(fabs(parameters[place_0[k]] - 0.0) <= 0.0)) {
            return place_0[k] + 1;
        }
    }
    static const int place_1[38] = {
        6, 7, 8, 25, 26, 27, 31, 32, 33, 50, 51, 52, 56, 57, 58, 75, 76, 77, 81, 82, 83, 100, 101, 102, 106,
        107, 108, 125, 126, 127, 131, 132, 137, 138, 146, 147, 152, 153,
    };
    for (int k = 0; k < 38; ++k) {
        if (!(fabs(parameters[place_1[k]] - 0.0) <= 1e-12)) {
            return place_1[k] + 1;
        }
    }
    static const int place_2[4] = {
        133, 139, 148, 154,
    };
    for (int k = 0; k < 4; ++k) {
        if (!(fabs(parameters[place_2[k]] - 3.141592653589793) <= 1e-12)) {
            return place_2[k] + 1;
        }
    }

    const double t0 = parameters[104] * parameters[104];
    const double t1 = parameters[104] * parameters[109] + parameters[36];
    const double t2 = parameters[109] * t0 + parameters[43];
    const double t3 = parameters[79] * parameters[79];
    const double t4 = parameters[79] * parameters[84] + parameters[11];
    const double t5 = parameters[118] + t2;

    /* pin0: rates [Long 2014, eq. 2], [Fried, eq. 41] */
    const double t6 = 1.0 / parameters[128];
    const double t7 = fabs(parameters[128]);

    /* pin1: rates [Long 2014, eq. 2], [Fried, eq. 41] */
    const double t8 = 1.0 / parameters[143];
    const double t9 = fabs(parameters[143]);

    /* mass matrix: closures [Briot 2014, eq. 44] */
    const double t10 = parameters[18] + parameters[93];
    const double t11 = parameters[84] * t3 + t10;

    prepared[0] = parameters[1];
    prepared[1] = parameters[28];
    prepared[2] = parameters[53];
    prepared[3] = parameters[61];
    prepared[4] = parameters[68];
    prepared[5] = parameters[79];
    prepared[6] = parameters[85];
    prepared[7] = parameters[93];
    prepared[8] = parameters[104];
    prepared[9] = parameters[110];
    prepared[10] = parameters[118];
    prepared[11] = parameters[128];
    prepared[12] = parameters[135];
    prepared[13] = parameters[143];
    prepared[14] = parameters[150];
    prepared[15] = t1;
    prepared[16] = t2;
    prepared[17] = t4;
    prepared[18] = t5;
    prepared[19] = t6;
    prepared[20] = t7;
    prepared[21] = t8;
    prepared[22] = t9;
    prepared[23] = t11;
    return 0;
}

uint64_t four_bar_chain_forward_dynamics(
    const double q[5],
    const double v[1],
    const double prepared[24],
    double vdot[1]) {
    uint64_t status = 0;
    const double t0 = sin(q[0]);
    const double t1 = cos(q[0]);
    const double t2 = sin(q[1]);
    const double t3 = cos(q[1]);
    const double t4 = sin(q[2]);
    const double t5 = cos(q[2]);
    const double t6 = sin(q[3]);
    const double t7 = cos(q[3]);
    const double t8 = sin(q[4]);
    const double t9 = cos(q[4]);

    /* pin0: closure [Briot 2014, eq. 28], [Long 2014, eq. 3] */
    const double t10 = prepared[5] * t7;
    const double t11 = prepared[11] - prepared[5] * t6;
    const double t12 = t1 * t7;
    const double t13 = t12 - t0 * t6;
    const double t14 = t1 * t6;
    const double t15 = t0 * t7 + t14;
    const double t16 = t3 * t13;
    const double t17 = t2 * t15 + t16;
    const double t18 = t2 * t13;
    const double t19 = t18 - t3 * t15;

    /* pin1: closure [Briot 2014, eq. 28], [Long 2014, eq. 3] */
    const double t20 = prepared[8] * t9;
    const double t21 = prepared[13] - prepared[8] * t8;
    const double t22 = t3 * t9;
    const double t23 = t22 - t2 * t8;
    const double t24 = t3 * t8;
    const double t25 = t2 * t9 + t24;
    const double t26 = t5 * t23;
    const double t27 = t4 * t25 + t26;
    const double t28 = t4 * t23;
    const double t29 = t28 - t5 * t25;
    const double t30 = prepared[12] * t3;
    const double t31 = prepared[12] * t2 + prepared[1];
    const double t32 = t1 * t31;
    const double t33 = t32 - t0 * t30;
    const double t34 = t0 * t31;
    const double t35 = t1 * t30 + t34;
    const double t36 = t7 * t33 - t11;
    const double t37 = t36 - t6 * t35;
    const double t38 = t6 * t33 - t10;
    const double t39 = t7 * t35 + t38;
    const double t40 = 1e-12 - t37 * t37;
    const double t41 = t40 - t39 * t39;
    status |= (uint64_t)!(t41 >= 0.0) << FOUR_BAR_CHAIN_FORWARD_DYNAMICS_OPEN_LOOP_PIN0;
    const double t42 = prepared[14] * t5;
    const double t43 = t2 * t42;
    const double t44 = prepared[1] - prepared[2];
    const double t45 = t44 - prepared[14] * t4;
    const double t46 = t2 * t45;
    const double t47 = t46 - t3 * t42;
    const double t48 = t3 * t45 + t43;
    const double t49 = t8 * t47 - t21;
    const double t50 = t49 - t9 * t48;
    const double t51 = t8 * t48 + t20;
    const double t52 = t9 * t47 + t51;
    const double t53 = 1e-12 - t50 * t50;
    const double t54 = t53 - t52 * t52;
    status |= (uint64_t)!(t54 >= 0.0) << FOUR_BAR_CHAIN_FORWARD_DYNAMICS_OPEN_LOOP_PIN1;
    const double t55 = prepared[12] * t17;
    const double t56 = prepared[12] * t19;
    const double t57 = prepared[14] * t27;
    const double t58 = prepared[14] * t29;
    const double t59 = prepared[9] * t8;
    const double t60 = prepared[8] * t59;
    const double t61 = prepared[18] - t60 * 2.0;
    const double t62 = prepared[6] * t6;
    const double t63 = prepared[5] * t62;
    const double t64 = t63 - prepared[7];
    const double t65 = t60 - prepared[10];

    /* pin0: rates [Long 2014, eq. 2], [Fried, eq. 41] */
    const double t66 = 1.0 / t55;
    const double t67 = t10 * t66;
    const double t68 = t11 - t56 * t67;
    const double t69 = t68 * prepared[19];
    const double t70 = fabs(t55);
    status |= (uint64_t)!(t70 >= 9.89e-10) << FOUR_BAR_CHAIN_FORWARD_DYNAMICS_FOLDED_PIN0;
    status |= (uint64_t)!(prepared[20] >= 1e-09) << FOUR_BAR_CHAIN_FORWARD_DYNAMICS_FOLDED_PIN0;

    /* pin1: rates [Long 2014, eq. 2], [Fried, eq. 41] */
    const double t71 = t20 * t67;
    const double t72 = t21 * t67;
    const double t73 = 1.0 / t57;
    const double t74 = t71 * t73;
    const double t75 = t72 - t58 * t74;
    const double t76 = t75 * prepared[21];
    const double t77 = fabs(t57);
    status |= (uint64_t)!(t77 >= 9.89e-10) << FOUR_BAR_CHAIN_FORWARD_DYNAMICS_FOLDED_PIN1;
    status |= (uint64_t)!(prepared[22] >= 1e-09) << FOUR_BAR_CHAIN_FORWARD_DYNAMICS_FOLDED_PIN1;

    /* mass matrix: closures [Briot 2014, eq. 44] */
    const double t78 = t61 * t67;
    const double t79 = t65 * t76 + t78;
    const double t80 = prepared[4] * t74;
    const double t81 = prepared[7] * t69;
    const double t82 = t65 * t67;
    const double t83 = prepared[10] * t76 + t82;
    const double t84 = 2.0 * t64 + t81;
    const double t85 = prepared[23] - 2.0 * t63;
    const double t86 = t74 * t80 + t85;
    const double t87 = t69 * t84 + t86;
    const double t88 = t76 * t83 + t87;
    const double t89 = t67 * t79 + t88;
    status |= (uint64_t)!(t89 >= 3e-06) << FOUR_BAR_CHAIN_FORWARD_DYNAMICS_SINGULAR_MASS_MATRIX;

    /* pin0: rates [Long 2014, eq. 2], [Fried, eq. 41] */
    const double t90 = v[0] * t10;
    const double t91 = v[0] * t11;
    const double t92 = t66 * t90;
    const double t93 = t91 - t56 * t92;

    /* pin1: rates [Long 2014, eq. 2], [Fried, eq. 41] */
    const double t94 = t20 * t92;
    const double t95 = t21 * t92;
    const double t96 = t73 * t94;
    const double t97 = t95 - t58 * t96;

    /* pin0: accelerations [Long 2014, eq. 6, corrected], [Fried, eq. 53] */
    const double t98 = v[0] * prepared[5];
    const double t99 = v[0] * t98;
    const double t100 = t6 * t99;
    const double t101 = t7 * t99;
    const double t102 = prepared[19] * t93 - v[0];
    const double t103 = prepared[11] * t102;
    const double t104 = prepared[12] * t92;
    const double t105 = t92 * t104;
    const double t106 = t19 * t105 + t100;
    const double t107 = t106 - t102 * t103;
    const double t108 = t66 * t107;
    const double t109 = t101 - t17 * t105;
    const double t110 = t109 - t56 * t108;
    const double t111 = prepared[19] * t110;

    /* pin1: accelerations [Long 2014, eq. 6, corrected], [Fried, eq. 53] */
    const double t112 = prepared[8] * t92;
    const double t113 = t92 * t112;
    const double t114 = t9 * t113;
    const double t115 = prepared[21] * t97 - t92;
    const double t116 = prepared[13] * t115;
    const double t117 = prepared[14] * t96;
    const double t118 = t96 * t117;
    const double t119 = t29 * t118;
    const double t120 = t8 * t113 + t119;
    const double t121 = t20 * t108 + t120;
    const double t122 = t121 - t115 * t116;
    const double t123 = t73 * t122;
    const double t124 = t114 - t27 * t118;
    const double t125 = t21 * t108 + t124;
    const double t126 = t125 - t58 * t123;

    /* crank0: recursion [Briot 2014, §3.2–3.3], [Fried, section 7.2] */
    const double t127 = prepared[0] * t0;

    /* crank1: recursion [Briot 2014, §3.2–3.3], [Fried, section 7.2] */
    const double t128 = prepared[0] * t2;

    /* crank2: recursion [Briot 2014, §3.2–3.3], [Fried, section 7.2] */
    const double t129 = prepared[0] * t4;

    /* coupler0: recursion [Briot 2014, §3.2–3.3], [Fried, section 7.2] */
    const double t130 = prepared[0] * t1 + t99;
    const double t131 = t6 * t127;
    const double t132 = t131 - t7 * t130;

    /* coupler1: recursion [Briot 2014, §3.2–3.3], [Fried, section 7.2] */
    const double t133 = prepared[8] * t108 + t128;
    const double t134 = prepared[0] * t3 + t113;
    const double t135 = t8 * t133;
    const double t136 = t135 - t9 * t134;
    const double t137 = prepared[21] * t126 - t108;

    /* crank2: recursion [Briot 2014, §3.2–3.3], [Fried, section 7.2] */
    const double t138 = prepared[4] * t123;

    /* coupler0: recursion [Briot 2014, §3.2–3.3], [Fried, section 7.2] */
    const double t139 = prepared[6] * t111;
    const double t140 = prepared[6] * t102;
    const double t141 = t102 * t140;
    const double t142 = prepared[7] * t111;
    const double t143 = prepared[6] * t132 + t142;

    /* coupler1: recursion [Briot 2014, §3.2–3.3], [Fried, section 7.2] */
    const double t144 = prepared[9] * t137;
    const double t145 = prepared[9] * t115;
    const double t146 = t115 * t145;
    const double t147 = prepared[10] * t137;
    const double t148 = prepared[9] * t136 + t147;
    const double t149 = t8 * t144;
    const double t150 = t149 - t9 * t146;

    /* coupler0: recursion [Briot 2014, §3.2–3.3], [Fried, section 7.2] */
    const double t151 = t6 * t139;
    const double t152 = t151 - t7 * t141;

    /* pin1: projection [Fried, eq. 94] */
    const double t153 = prepared[21] * t148;
    const double t154 = prepared[3] * t129 + t138;
    const double t155 = t154 - t58 * t153;
    const double t156 = t73 * t155;

    /* pin0: projection [Fried, eq. 94] */
    const double t157 = prepared[19] * t143;
    const double t158 = prepared[15] * t128 - t148;
    const double t159 = prepared[16] * t108 + t158;
    const double t160 = t159 - t56 * t157;
    const double t161 = prepared[8] * t150 + t160;
    const double t162 = t21 * t153 + t161;
    const double t163 = t20 * t156 + t162;
    const double t164 = t66 * t163;
    const double t165 = prepared[17] * t127 - t143;
    const double t166 = prepared[5] * t152 + t165;
    const double t167 = t11 * t157 + t166;
    const double t168 = t10 * t164 + t167;

    /* acceleration [Briot 2014, eq. 44], [Long 2014, eq. 46] */
    const double t169 = 1.0 / t89;
    const double t170 = t168 * t169;
    const double t171 = -t170;

    vdot[0] = t171;
    double finite = 0.0;
    finite += 0.0 * vdot[0];
    status |= (uint64_t)!(finite == 0.0) << FOUR_BAR_CHAIN_FORWARD_DYNAMICS_NOT_FINITE_RESULT;
    return status;
}
