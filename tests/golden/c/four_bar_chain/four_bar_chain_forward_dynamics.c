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

int four_bar_chain_forward_dynamics_prepare(const double parameters[158], double prepared[23]) {
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
    const double t5 = parameters[84] * t3 + parameters[18];

    /* pin0: rates [Long 2014, eq. 2], [Fried, eq. 41] */
    const double t6 = 1.0 / parameters[128];
    const double t7 = fabs(parameters[128]);

    /* pin1: rates [Long 2014, eq. 2], [Fried, eq. 41] */
    const double t8 = 1.0 / parameters[143];
    const double t9 = fabs(parameters[143]);

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
    return 0;
}

uint64_t four_bar_chain_forward_dynamics(
    const double q[5],
    const double v[1],
    const double prepared[23],
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

    /* pin1: closure [Briot 2014, eq. 28], [Long 2014, eq. 3] */
    const double t12 = prepared[8] * t9;
    const double t13 = prepared[13] - prepared[8] * t8;
    const double t14 = prepared[12] * t2;
    const double t15 = prepared[12] * t3;
    const double t16 = prepared[1] + t14;
    const double t17 = t0 * t15;
    const double t18 = t1 * t16 - t17;
    const double t19 = t1 * t15;
    const double t20 = t0 * t16 + t19;
    const double t21 = t7 * t18 - t11;
    const double t22 = t21 - t6 * t20;
    const double t23 = t6 * t18 - t10;
    const double t24 = t7 * t20 + t23;
    const double t25 = 1e-12 - t22 * t22;
    const double t26 = t25 - t24 * t24;
    status |= (uint64_t)!(t26 >= 0.0) << FOUR_BAR_CHAIN_FORWARD_DYNAMICS_OPEN_LOOP_PIN0;
    const double t27 = prepared[14] * t4;
    const double t28 = prepared[14] * t5;
    const double t29 = t2 * t28;
    const double t30 = t3 * t28;
    const double t31 = prepared[1] - prepared[2];
    const double t32 = t31 - t27;
    const double t33 = t2 * t32 - t30;
    const double t34 = t3 * t32 + t29;
    const double t35 = t8 * t33 - t13;
    const double t36 = t35 - t9 * t34;
    const double t37 = t8 * t34 + t12;
    const double t38 = t9 * t33 + t37;
    const double t39 = 1e-12 - t36 * t36;
    const double t40 = t39 - t38 * t38;
    status |= (uint64_t)!(t40 >= 0.0) << FOUR_BAR_CHAIN_FORWARD_DYNAMICS_OPEN_LOOP_PIN1;
    const double t41 = prepared[9] * t8;
    const double t42 = prepared[8] * t41;
    const double t43 = prepared[10] + prepared[16];
    const double t44 = t43 - t42 * 2.0;
    const double t45 = prepared[6] * t6;
    const double t46 = prepared[5] * t45;
    const double t47 = t46 - prepared[7];
    const double t48 = t42 - prepared[10];

    /* pin0: rates [Long 2014, eq. 2], [Fried, eq. 41] */
    const double t49 = t0 * t14 + t19;
    const double t50 = t17 - t1 * t14;
    const double t51 = t7 * t49;
    const double t52 = t51 - t6 * t50;
    const double t53 = t6 * t49;
    const double t54 = t7 * t50 + t53;
    const double t55 = 1.0 / t52;
    const double t56 = t10 * t55;
    const double t57 = t54 * t56 + t11;
    const double t58 = t57 * prepared[19];
    const double t59 = fabs(t52);
    status |= (uint64_t)!(t59 >= 9.89e-10) << FOUR_BAR_CHAIN_FORWARD_DYNAMICS_FOLDED_PIN0;
    status |= (uint64_t)!(prepared[20] >= 1e-09) << FOUR_BAR_CHAIN_FORWARD_DYNAMICS_FOLDED_PIN0;

    /* pin1: rates [Long 2014, eq. 2], [Fried, eq. 41] */
    const double t60 = t12 * t56;
    const double t61 = t13 * t56;
    const double t62 = t2 * t27 + t30;
    const double t63 = t29 - t3 * t27;
    const double t64 = t9 * t62;
    const double t65 = t64 - t8 * t63;
    const double t66 = t8 * t62;
    const double t67 = t9 * t63 + t66;
    const double t68 = 1.0 / t65;
    const double t69 = t60 * t68;
    const double t70 = t67 * t69 + t61;
    const double t71 = t70 * prepared[21];
    const double t72 = fabs(t65);
    status |= (uint64_t)!(t72 >= 9.89e-10) << FOUR_BAR_CHAIN_FORWARD_DYNAMICS_FOLDED_PIN1;
    status |= (uint64_t)!(prepared[22] >= 1e-09) << FOUR_BAR_CHAIN_FORWARD_DYNAMICS_FOLDED_PIN1;

    /* mass matrix: closures [Briot 2014, eq. 44] */
    const double t73 = t44 * t56;
    const double t74 = t48 * t71 + t73;
    const double t75 = prepared[4] * t69;
    const double t76 = prepared[7] * t58;
    const double t77 = t48 * t56;
    const double t78 = prepared[10] * t71 + t77;
    const double t79 = 2.0 * t47 + t76;
    const double t80 = prepared[7] + prepared[18];
    const double t81 = t80 - 2.0 * t46;
    const double t82 = t69 * t75 + t81;
    const double t83 = t58 * t79 + t82;
    const double t84 = t56 * t74 + t83;
    const double t85 = t71 * t78 + t84;
    status |= (uint64_t)!(t85 >= 3e-06) << FOUR_BAR_CHAIN_FORWARD_DYNAMICS_SINGULAR_MASS_MATRIX;

    /* pin0: rates [Long 2014, eq. 2], [Fried, eq. 41] */
    const double t86 = v[0] * t10;
    const double t87 = v[0] * t11;
    const double t88 = t55 * t86;
    const double t89 = t54 * t88 + t87;

    /* pin1: rates [Long 2014, eq. 2], [Fried, eq. 41] */
    const double t90 = t12 * t88;
    const double t91 = t13 * t88;
    const double t92 = t68 * t90;
    const double t93 = t67 * t92 + t91;

    /* pin0: accelerations [Long 2014, eq. 6, corrected], [Fried, eq. 53] */
    const double t94 = v[0] * prepared[5];
    const double t95 = v[0] * t94;
    const double t96 = prepared[19] * t89 - v[0];
    const double t97 = prepared[11] * t96;
    const double t98 = prepared[12] * t88;
    const double t99 = t88 * t98;
    const double t100 = t2 * t99;
    const double t101 = t3 * t99;
    const double t102 = t0 * t101;
    const double t103 = t102 - t1 * t100;
    const double t104 = t6 * t103;
    const double t105 = t0 * t100 - t95;
    const double t106 = t1 * t101 + t105;
    const double t107 = t6 * t106;
    const double t108 = t96 * t97 + t107;
    const double t109 = t7 * t103 + t108;
    const double t110 = t55 * t109;
    const double t111 = t104 - t7 * t106;
    const double t112 = t111 - t54 * t110;
    const double t113 = prepared[19] * t112;

    /* pin1: accelerations [Long 2014, eq. 6, corrected], [Fried, eq. 53] */
    const double t114 = prepared[8] * t88;
    const double t115 = t88 * t114;
    const double t116 = prepared[21] * t93 - t88;
    const double t117 = prepared[13] * t116;
    const double t118 = prepared[14] * t92;
    const double t119 = t92 * t118;
    const double t120 = t4 * t119;
    const double t121 = t5 * t119;
    const double t122 = t2 * t121;
    const double t123 = t122 - t3 * t120;
    const double t124 = t8 * t123;
    const double t125 = t2 * t120 - t115;
    const double t126 = t3 * t121 + t125;
    const double t127 = t8 * t126;
    const double t128 = t116 * t117 + t127;
    const double t129 = t9 * t123 + t128;
    const double t130 = t12 * t110 + t129;
    const double t131 = t68 * t130;
    const double t132 = t124 - t9 * t126;
    const double t133 = t132 - t13 * t110;
    const double t134 = t133 - t67 * t131;

    /* crank0: recursion [Briot 2014, §3.2–3.3], [Fried, section 7.2] */
    const double t135 = prepared[0] * t0;

    /* crank1: recursion [Briot 2014, §3.2–3.3], [Fried, section 7.2] */
    const double t136 = prepared[0] * t2;

    /* crank2: recursion [Briot 2014, §3.2–3.3], [Fried, section 7.2] */
    const double t137 = prepared[0] * t4;

    /* coupler0: recursion [Briot 2014, §3.2–3.3], [Fried, section 7.2] */
    const double t138 = prepared[0] * t1 + t95;
    const double t139 = t6 * t135;
    const double t140 = t139 - t7 * t138;

    /* coupler1: recursion [Briot 2014, §3.2–3.3], [Fried, section 7.2] */
    const double t141 = t136 - prepared[8] * t110;
    const double t142 = prepared[0] * t3 + t115;
    const double t143 = t8 * t141;
    const double t144 = t143 - t9 * t142;
    const double t145 = prepared[21] * t134 + t110;

    /* crank2: recursion [Briot 2014, §3.2–3.3], [Fried, section 7.2] */
    const double t146 = prepared[3] * t137;

    /* coupler0: recursion [Briot 2014, §3.2–3.3], [Fried, section 7.2] */
    const double t147 = prepared[6] * t113;
    const double t148 = prepared[6] * t96;
    const double t149 = t96 * t148;
    const double t150 = prepared[7] * t113;
    const double t151 = prepared[6] * t140 + t150;

    /* coupler1: recursion [Briot 2014, §3.2–3.3], [Fried, section 7.2] */
    const double t152 = prepared[9] * t145;
    const double t153 = prepared[9] * t116;
    const double t154 = t116 * t153;
    const double t155 = prepared[10] * t145;
    const double t156 = prepared[9] * t144 + t155;
    const double t157 = t8 * t152;
    const double t158 = t157 - t9 * t154;

    /* coupler0: recursion [Briot 2014, §3.2–3.3], [Fried, section 7.2] */
    const double t159 = t6 * t147;
    const double t160 = t159 - t7 * t149;

    /* pin1: projection [Fried, eq. 94] */
    const double t161 = prepared[21] * t156;
    const double t162 = t146 - prepared[4] * t131;
    const double t163 = t67 * t161 + t162;
    const double t164 = t68 * t163;

    /* pin0: projection [Fried, eq. 94] */
    const double t165 = prepared[19] * t151;
    const double t166 = prepared[15] * t136 - t156;
    const double t167 = t166 - prepared[16] * t110;
    const double t168 = t54 * t165 + t167;
    const double t169 = prepared[8] * t158 + t168;
    const double t170 = t13 * t161 + t169;
    const double t171 = t12 * t164 + t170;
    const double t172 = t55 * t171;
    const double t173 = prepared[17] * t135 - t151;
    const double t174 = prepared[5] * t160 + t173;
    const double t175 = t11 * t165 + t174;
    const double t176 = t10 * t172 + t175;

    /* acceleration [Briot 2014, eq. 44], [Long 2014, eq. 46] */
    const double t177 = 1.0 / t85;
    const double t178 = t176 * t177;
    const double t179 = -t178;

    vdot[0] = t179;
    double finite = 0.0;
    finite += 0.0 * vdot[0];
    status |= (uint64_t)!(finite == 0.0) << FOUR_BAR_CHAIN_FORWARD_DYNAMICS_NOT_FINITE_RESULT;
    return status;
}
