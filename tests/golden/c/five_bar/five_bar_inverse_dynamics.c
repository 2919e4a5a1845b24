#include "five_bar_inverse_dynamics.h"

#include <math.h>

const char *const five_bar_inverse_dynamics_check_names[] = {
    "not_finite:result",
    "open_loop:pin",
    "folded:pin",
};

const double five_bar_inverse_dynamics_parameters[132] = {
    0.0, 0.0, (-9.81), (-0.12), 0.0, 0.0, 0.0, 0.0, 0.0, 0.8, 0.1, 0.0, 0.0, 0.0002, 0.0, 0.0, 0.0167,
    0.0, 0.0167, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.25, 0.0, 0.0, 0.0,
    0.0, 0.0, 0.5, 0.0875, 0.0, 0.0, 0.0001, 0.0, 0.0, 0.0204125, 0.0, 0.0204125, 0.0, 0.0, 0.0, 0.0,
    0.0, 0.0, 0.0, 0.0, 0.0, 0.35, 0.0, (-0.05), 0.0, 0.0, 0.0, 0.12, 0.0, 0.0, 0.0, 0.0, 0.0, 0.8, 0.1,
    0.0, 0.0, 0.0002, 0.0, 0.0, 0.0167, 0.0, 0.0167, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
    0.0, 0.0, 0.0, 0.25, 0.0, 0.0, 0.0, 0.0, 0.0, 0.5, 0.0875, 0.0, 0.0, 0.0001, 0.0, 0.0, 0.0204125,
    0.0, 0.0204125, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.35, 0.0, 0.0, 0.0, 0.0, 0.0, 0.35,
    0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
};

int five_bar_inverse_dynamics_prepare(const double parameters[132], double prepared[14]) {
    /* Structure: these inputs must have the values the program was made with. */
    static const int place_0[70] = {
        0, 1, 4, 5, 11, 12, 14, 15, 17, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 33, 34, 40, 41, 43, 44, 46,
        48, 49, 50, 51, 52, 53, 58, 64, 65, 71, 72, 74, 75, 77, 79, 80, 81, 82, 83, 84, 85, 86, 87, 88, 93,
        94, 100, 101, 103, 104, 106, 108, 109, 110, 111, 112, 113, 118, 119, 124, 125, 129, 130, 131,
    };
    for (int k = 0; k < 70; ++k) {
        if (!(fabs(parameters[place_0[k]] - 0.0) <= 0.0)) {
            return place_0[k] + 1;
        }
    }
    static const int place_1[33] = {
        6, 7, 8, 29, 30, 31, 35, 36, 37, 54, 55, 56, 60, 61, 62, 66, 67, 68, 89, 90, 91, 95, 96, 97, 114,
        115, 116, 120, 121, 122, 126, 127, 128,
    };
    for (int k = 0; k < 33; ++k) {
        if (!(fabs(parameters[place_1[k]] - 0.0) <= 1e-12)) {
            return place_1[k] + 1;
        }
    }

    const double t0 = parameters[92] * parameters[92];
    const double t1 = parameters[98] * t0 + parameters[78];
    const double t2 = parameters[32] * parameters[32];
    const double t3 = parameters[38] * t2 + parameters[18];

    /* pin: rates [Long 2014, eq. 2], [Fried, eq. 41] */
    const double t4 = 1.0 / parameters[117];
    const double t5 = fabs(parameters[117]);

    prepared[0] = parameters[3];
    prepared[1] = parameters[32];
    prepared[2] = parameters[39];
    prepared[3] = parameters[47];
    prepared[4] = parameters[63];
    prepared[5] = parameters[92];
    prepared[6] = parameters[99];
    prepared[7] = parameters[107];
    prepared[8] = parameters[117];
    prepared[9] = parameters[123];
    prepared[10] = t1;
    prepared[11] = t3;
    prepared[12] = t4;
    prepared[13] = t5;
    return 0;
}

uint64_t five_bar_inverse_dynamics(
    const double q[4],
    const double v[2],
    const double acceleration[2],
    const double force[2],
    const double prepared[14],
    double tau[2]) {
    uint64_t status = 0;
    const double t0 = sin(q[0]);
    const double t1 = cos(q[0]);
    const double t2 = sin(q[1]);
    const double t3 = cos(q[1]);
    const double t4 = sin(q[2]);
    const double t5 = cos(q[2]);
    const double t6 = sin(q[3]);
    const double t7 = cos(q[3]);

    /* pin: closure [Briot 2014, eq. 28], [Long 2014, eq. 3] */
    const double t8 = prepared[1] * t2;
    const double t9 = prepared[1] * t3 + prepared[8];
    const double t10 = prepared[9] * t7;
    const double t11 = prepared[9] * t6;
    const double t12 = prepared[5] + t10;
    const double t13 = t5 * t11;
    const double t14 = t4 * t12 + t13;
    const double t15 = t0 * t14;
    const double t16 = t1 * t14;
    const double t17 = prepared[0] - prepared[4];
    const double t18 = t4 * t11 + t17;
    const double t19 = t18 - t5 * t12;
    const double t20 = t0 * t19 + t16;
    const double t21 = t15 - t1 * t19;
    const double t22 = t2 * t20 - t9;
    const double t23 = t3 * t21 + t22;
    const double t24 = t3 * t20 + t8;
    const double t25 = t24 - t2 * t21;
    const double t26 = 1e-12 - t23 * t23;
    const double t27 = t26 - t25 * t25;
    status |= (uint64_t)!(t27 >= 0.0) << FIVE_BAR_INVERSE_DYNAMICS_OPEN_LOOP_PIN;

    /* pin: rates [Long 2014, eq. 2], [Fried, eq. 41] */
    const double t28 = v[0] * t8;
    const double t29 = prepared[5] * t6;
    const double t30 = prepared[5] * t7 + prepared[9];
    const double t31 = t4 * t10 + t13;
    const double t32 = t5 * t10;
    const double t33 = t32 - t4 * t11;
    const double t34 = t0 * t33;
    const double t35 = t34 - t1 * t31;
    const double t36 = t0 * t31;
    const double t37 = t1 * t33 + t36;
    const double t38 = t3 * t35;
    const double t39 = t2 * t37 + t38;
    const double t40 = t3 * t37;
    const double t41 = t40 - t2 * t35;
    const double t42 = t7 * t29;
    const double t43 = t42 - t6 * t30;
    const double t44 = t6 * t29;
    const double t45 = t7 * t30 + t44;
    const double t46 = t5 * t43;
    const double t47 = t46 - t4 * t45;
    const double t48 = t4 * t43;
    const double t49 = t5 * t45 + t48;
    const double t50 = t1 * t47;
    const double t51 = t0 * t49 + t50;
    const double t52 = t1 * t49;
    const double t53 = t52 - t0 * t47;
    const double t54 = t3 * t51;
    const double t55 = t2 * t53 + t54;
    const double t56 = t3 * t53;
    const double t57 = t56 - t2 * t51;
    const double t58 = t28 - v[1] * t55;
    const double t59 = v[1] * t57;
    const double t60 = 1.0 / t39;
    const double t61 = t58 * t60;
    const double t62 = t59 - v[0] * t9;
    const double t63 = t41 * t61 + t62;
    const double t64 = fabs(t39);
    status |= (uint64_t)!(t64 >= 3.48e-10) << FIVE_BAR_INVERSE_DYNAMICS_FOLDED_PIN;
    status |= (uint64_t)!(prepared[13] >= 3.5e-10) << FIVE_BAR_INVERSE_DYNAMICS_FOLDED_PIN;

    /* pin: accelerations [Long 2014, eq. 6, corrected], [Fried, eq. 53] */
    const double t65 = v[0] * prepared[1];
    const double t66 = v[0] * t65;
    const double t67 = t2 * t66;
    const double t68 = t63 * prepared[12] + v[0];
    const double t69 = prepared[8] * t68;
    const double t70 = v[1] * prepared[5];
    const double t71 = v[1] * t70;
    const double t72 = t7 * t71;
    const double t73 = t6 * t71;
    const double t74 = v[1] + t61;
    const double t75 = prepared[9] * t74;
    const double t76 = t74 * t75 + t72;
    const double t77 = t7 * t76;
    const double t78 = t6 * t73 + t77;
    const double t79 = t7 * t73;
    const double t80 = t79 - t6 * t76;
    const double t81 = t5 * t78;
    const double t82 = t4 * t80 + t81;
    const double t83 = t5 * t80;
    const double t84 = t83 - t4 * t78;
    const double t85 = t0 * t84;
    const double t86 = t85 - t1 * t82;
    const double t87 = t0 * t82;
    const double t88 = t1 * t84 + t87;
    const double t89 = t66 + t86;
    const double t90 = t3 * t89;
    const double t91 = t90 - acceleration[0] * t8;
    const double t92 = acceleration[1] * t55 + t91;
    const double t93 = t68 * t69 + t92;
    const double t94 = t2 * t88 + t93;
    const double t95 = t60 * t94;
    const double t96 = -(acceleration[0] * t9) - t67;
    const double t97 = acceleration[1] * t57 + t96;
    const double t98 = t97 - t2 * t86;
    const double t99 = t3 * t88 + t98;
    const double t100 = t99 - t41 * t95;

    /* left_rod: recursion [Briot 2014, §3.2–3.3], [Fried, section 7.2] */
    const double t101 = acceleration[0] * prepared[1];
    const double t102 = t3 * t101 + t67;
    const double t103 = prepared[12] * t100 + acceleration[0];

    /* right_rod: recursion [Briot 2014, §3.2–3.3], [Fried, section 7.2] */
    const double t104 = acceleration[1] * prepared[5];
    const double t105 = t7 * t104 + t73;
    const double t106 = acceleration[1] - t95;

    /* left_rod: recursion [Briot 2014, §3.2–3.3], [Fried, section 7.2] */
    const double t107 = prepared[2] * t103;
    const double t108 = prepared[2] * t68;
    const double t109 = t68 * t108;
    const double t110 = prepared[3] * t103;
    const double t111 = prepared[2] * t102 + t110;

    /* right_rod: recursion [Briot 2014, §3.2–3.3], [Fried, section 7.2] */
    const double t112 = prepared[6] * t106;
    const double t113 = prepared[6] * t74;
    const double t114 = t74 * t113;
    const double t115 = prepared[7] * t106;
    const double t116 = prepared[6] * t105 + t115;
    const double t117 = t7 * t112;
    const double t118 = t117 - t6 * t114;

    /* left_rod: recursion [Briot 2014, §3.2–3.3], [Fried, section 7.2] */
    const double t119 = t3 * t107;
    const double t120 = t119 - t2 * t109;

    /* pin: projection [Fried, eq. 94] */
    const double t121 = prepared[12] * t111;
    const double t122 = t41 * t121 + t116;
    const double t123 = t60 * t122;
    const double t124 = acceleration[0] * prepared[11] - force[0];
    const double t125 = t111 + t124;
    const double t126 = prepared[1] * t120 + t125;
    const double t127 = t126 - t9 * t121;
    const double t128 = t8 * t123 + t127;
    const double t129 = acceleration[1] * prepared[10] - force[1];
    const double t130 = t116 + t129;
    const double t131 = prepared[5] * t118 + t130;
    const double t132 = t57 * t121 + t131;
    const double t133 = t132 - t55 * t123;

    tau[0] = t128;
    tau[1] = t133;
    double finite = 0.0;
    finite += 0.0 * tau[0] + 0.0 * tau[1];
    status |= (uint64_t)!(finite == 0.0) << FIVE_BAR_INVERSE_DYNAMICS_NOT_FINITE_RESULT;
    return status;
}
