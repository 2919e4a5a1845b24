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

    /* pin0: closure [Briot 2014, eqs. 30–36], [Long 2014, eq. 3] */
    const double t10 = prepared[5] * t6;
    const double t11 = prepared[5] * t7;
    const double t12 = prepared[11] - t10;

    /* pin1: closure [Briot 2014, eqs. 30–36], [Long 2014, eq. 3] */
    const double t13 = prepared[8] * t9;
    const double t14 = prepared[13] - prepared[8] * t8;
    const double t15 = prepared[12] * t2;
    const double t16 = prepared[12] * t3;
    const double t17 = prepared[1] + t15;
    const double t18 = t0 * t16;
    const double t19 = t1 * t17 - t18;
    const double t20 = t1 * t16;
    const double t21 = t0 * t17 + t20;
    const double t22 = t7 * t19 - t12;
    const double t23 = t22 - t6 * t21;
    const double t24 = t6 * t19 - t11;
    const double t25 = t7 * t21 + t24;
    const double t26 = 1e-12 - t23 * t23;
    const double t27 = t26 - t25 * t25;
    status |= (uint64_t)!(t27 >= 0.0) << FOUR_BAR_CHAIN_FORWARD_DYNAMICS_OPEN_LOOP_PIN0;
    const double t28 = prepared[14] * t4;
    const double t29 = prepared[14] * t5;
    const double t30 = t2 * t29;
    const double t31 = t3 * t29;
    const double t32 = prepared[1] - prepared[2];
    const double t33 = t32 - t28;
    const double t34 = t2 * t33 - t31;
    const double t35 = t3 * t33 + t30;
    const double t36 = t8 * t34 - t14;
    const double t37 = t36 - t9 * t35;
    const double t38 = t8 * t35 + t13;
    const double t39 = t9 * t34 + t38;
    const double t40 = 1e-12 - t37 * t37;
    const double t41 = t40 - t39 * t39;
    status |= (uint64_t)!(t41 >= 0.0) << FOUR_BAR_CHAIN_FORWARD_DYNAMICS_OPEN_LOOP_PIN1;

    /* pin0: rates [Long 2014, eq. 2], [Fried, eq. 41] */
    const double t42 = t0 * t15 + t20;
    const double t43 = t18 - t1 * t15;
    const double t44 = t7 * t42;
    const double t45 = t44 - t6 * t43;
    const double t46 = t6 * t42;
    const double t47 = t7 * t43 + t46;
    const double t48 = 1.0 / t45;
    const double t49 = t11 * t48;
    const double t50 = t47 * t49 + t12;
    const double t51 = fabs(t45);
    status |= (uint64_t)!(t51 >= 9.89e-10) << FOUR_BAR_CHAIN_FORWARD_DYNAMICS_FOLDED_PIN0;
    status |= (uint64_t)!(prepared[20] >= 1e-09) << FOUR_BAR_CHAIN_FORWARD_DYNAMICS_FOLDED_PIN0;

    /* pin1: rates [Long 2014, eq. 2], [Fried, eq. 41] */
    const double t52 = t13 * t49;
    const double t53 = t14 * t49;
    const double t54 = t2 * t28 + t31;
    const double t55 = t30 - t3 * t28;
    const double t56 = t9 * t54;
    const double t57 = t56 - t8 * t55;
    const double t58 = t8 * t54;
    const double t59 = t9 * t55 + t58;
    const double t60 = 1.0 / t57;
    const double t61 = t52 * t60;
    const double t62 = t59 * t61 + t53;
    const double t63 = fabs(t57);
    status |= (uint64_t)!(t63 >= 9.89e-10) << FOUR_BAR_CHAIN_FORWARD_DYNAMICS_FOLDED_PIN1;
    status |= (uint64_t)!(prepared[22] >= 1e-09) << FOUR_BAR_CHAIN_FORWARD_DYNAMICS_FOLDED_PIN1;

    /* coupler0: recursion [Briot 2014, §4.1], [Fried, eqs. 74–82, corrected] */
    const double t64 = t50 * prepared[19] + (-1.0);

    /* coupler1: recursion [Briot 2014, §4.1], [Fried, eqs. 74–82, corrected] */
    const double t65 = prepared[8] * t49;
    const double t66 = t8 * t65;
    const double t67 = t62 * prepared[21] - t49;

    /* mass matrix: column foot0 */
    const double t68 = prepared[4] * t61;
    const double t69 = prepared[6] * t64;
    const double t70 = prepared[7] * t64;
    const double t71 = prepared[6] * t10 + t70;
    const double t72 = prepared[9] * t67;
    const double t73 = prepared[10] * t67;
    const double t74 = prepared[9] * t66 + t73;

    /* coupler1: recursion [Briot 2014, §4.1], [Fried, eqs. 74–82, corrected] */
    const double t75 = t8 * t72;

    /* coupler0: recursion [Briot 2014, §4.1], [Fried, eqs. 74–82, corrected] */
    const double t76 = t6 * t69;

    /* pin1: projection [Fried, eq. 94] */
    const double t77 = prepared[21] * t74;
    const double t78 = t59 * t77 + t68;
    const double t79 = t60 * t78;

    /* pin0: projection [Fried, eq. 94] */
    const double t80 = prepared[19] * t71;
    const double t81 = prepared[16] * t49 - t74;
    const double t82 = t47 * t80 + t81;
    const double t83 = prepared[8] * t75 + t82;
    const double t84 = t14 * t77 + t83;
    const double t85 = t13 * t79 + t84;
    const double t86 = t48 * t85;
    const double t87 = prepared[5] * t76 + prepared[18];
    const double t88 = t87 - t71;
    const double t89 = t12 * t80 + t88;
    const double t90 = t11 * t86 + t89;
    status |= (uint64_t)!(t90 >= 3e-06) << FOUR_BAR_CHAIN_FORWARD_DYNAMICS_SINGULAR_MASS_MATRIX;

    /* pin0: rates [Long 2014, eq. 2], [Fried, eq. 41] */
    const double t91 = v[0] * t11;
    const double t92 = v[0] * t12;
    const double t93 = t48 * t91;
    const double t94 = t47 * t93 + t92;

    /* pin1: rates [Long 2014, eq. 2], [Fried, eq. 41] */
    const double t95 = t13 * t93;
    const double t96 = t14 * t93;
    const double t97 = t60 * t95;
    const double t98 = t59 * t97 + t96;

    /* pin0: accelerations [Long 2014, eq. 6], [Fried, eq. 53] */
    const double t99 = v[0] * prepared[5];
    const double t100 = v[0] * t99;
    const double t101 = prepared[19] * t94 - v[0];
    const double t102 = prepared[11] * t101;
    const double t103 = prepared[12] * t93;
    const double t104 = t93 * t103;
    const double t105 = t2 * t104;
    const double t106 = t3 * t104;
    const double t107 = t0 * t106;
    const double t108 = t107 - t1 * t105;
    const double t109 = t6 * t108;
    const double t110 = t0 * t105 - t100;
    const double t111 = t1 * t106 + t110;
    const double t112 = t6 * t111;
    const double t113 = t101 * t102 + t112;
    const double t114 = t7 * t108 + t113;
    const double t115 = t48 * t114;
    const double t116 = t109 - t7 * t111;
    const double t117 = t116 - t47 * t115;
    const double t118 = prepared[19] * t117;

    /* pin1: accelerations [Long 2014, eq. 6], [Fried, eq. 53] */
    const double t119 = prepared[8] * t93;
    const double t120 = t93 * t119;
    const double t121 = prepared[21] * t98 - t93;
    const double t122 = prepared[13] * t121;
    const double t123 = prepared[14] * t97;
    const double t124 = t97 * t123;
    const double t125 = t4 * t124;
    const double t126 = t5 * t124;
    const double t127 = t2 * t126;
    const double t128 = t127 - t3 * t125;
    const double t129 = t8 * t128;
    const double t130 = t2 * t125 - t120;
    const double t131 = t3 * t126 + t130;
    const double t132 = t8 * t131;
    const double t133 = t121 * t122 + t132;
    const double t134 = t9 * t128 + t133;
    const double t135 = t13 * t115 + t134;
    const double t136 = t60 * t135;
    const double t137 = t129 - t9 * t131;
    const double t138 = t137 - t14 * t115;
    const double t139 = t138 - t59 * t136;

    /* crank0: recursion [Briot 2014, §4.1], [Fried, eqs. 74–82, corrected] */
    const double t140 = prepared[0] * t0;

    /* crank1: recursion [Briot 2014, §4.1], [Fried, eqs. 74–82, corrected] */
    const double t141 = prepared[0] * t2;

    /* crank2: recursion [Briot 2014, §4.1], [Fried, eqs. 74–82, corrected] */
    const double t142 = prepared[0] * t4;

    /* coupler0: recursion [Briot 2014, §4.1], [Fried, eqs. 74–82, corrected] */
    const double t143 = prepared[0] * t1 + t100;
    const double t144 = t6 * t140;
    const double t145 = t144 - t7 * t143;

    /* coupler1: recursion [Briot 2014, §4.1], [Fried, eqs. 74–82, corrected] */
    const double t146 = t141 - prepared[8] * t115;
    const double t147 = prepared[0] * t3 + t120;
    const double t148 = t8 * t146;
    const double t149 = t148 - t9 * t147;
    const double t150 = prepared[21] * t139 + t115;

    /* crank2: recursion [Briot 2014, §4.1], [Fried, eqs. 74–82, corrected] */
    const double t151 = prepared[3] * t142;

    /* coupler0: recursion [Briot 2014, §4.1], [Fried, eqs. 74–82, corrected] */
    const double t152 = prepared[6] * t118;
    const double t153 = prepared[6] * t101;
    const double t154 = t101 * t153;
    const double t155 = prepared[7] * t118;
    const double t156 = prepared[6] * t145 + t155;

    /* coupler1: recursion [Briot 2014, §4.1], [Fried, eqs. 74–82, corrected] */
    const double t157 = prepared[9] * t150;
    const double t158 = prepared[9] * t121;
    const double t159 = t121 * t158;
    const double t160 = prepared[10] * t150;
    const double t161 = prepared[9] * t149 + t160;
    const double t162 = t8 * t157;
    const double t163 = t162 - t9 * t159;

    /* coupler0: recursion [Briot 2014, §4.1], [Fried, eqs. 74–82, corrected] */
    const double t164 = t6 * t152;
    const double t165 = t164 - t7 * t154;

    /* pin1: projection [Fried, eq. 94] */
    const double t166 = prepared[21] * t161;
    const double t167 = t151 - prepared[4] * t136;
    const double t168 = t59 * t166 + t167;
    const double t169 = t60 * t168;

    /* pin0: projection [Fried, eq. 94] */
    const double t170 = prepared[19] * t156;
    const double t171 = prepared[15] * t141 - t161;
    const double t172 = t171 - prepared[16] * t115;
    const double t173 = t47 * t170 + t172;
    const double t174 = prepared[8] * t163 + t173;
    const double t175 = t14 * t166 + t174;
    const double t176 = t13 * t169 + t175;
    const double t177 = t48 * t176;
    const double t178 = prepared[17] * t140 - t156;
    const double t179 = prepared[5] * t165 + t178;
    const double t180 = t12 * t170 + t179;
    const double t181 = t11 * t177 + t180;

    /* acceleration [Long 2014, eq. 46] */
    const double t182 = 1.0 / t90;
    const double t183 = t181 * t182;
    const double t184 = -t183;

    vdot[0] = t184;
    double finite = 0.0;
    finite += 0.0 * vdot[0];
    status |= (uint64_t)!(finite == 0.0) << FOUR_BAR_CHAIN_FORWARD_DYNAMICS_NOT_FINITE_RESULT;
    return status;
}
