/* Positions of Model Exchange: coordinates whose rates are the independent velocities, and rotation vectors from a reference.

   All other coordinates follow by Newton's method from the closures. A rotation vector p of world axes means R = exp(p) R_ref,
   of axes that turn with the body R = R_ref exp(p); w = J p', J = 1 +- b [p] + c [p][p]. */
#include <math.h>
#include <string.h>

#include "fmu_core.h"

#define MOST_STEPS 40
#define CLOSED 1e-13
#define NEARLY 1e-7
#define PART 0.2
#define MOST_PARTS 100.0

static void product(const double *a, const double *b, double *out) {
    const double w = a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3];
    const double x = a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2];
    const double y = a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1];
    const double z = a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0];
    out[0] = w;
    out[1] = x;
    out[2] = y;
    out[3] = z;
}

/* Quaternion of a rotation vector. */
static void turn(const double *p, double *out) {
    const double s = p[0] * p[0] + p[1] * p[1] + p[2] * p[2];
    const double angle = sqrt(s);
    const double factor = angle > 1e-4 ? sin(0.5 * angle) / angle : 0.5 - s / 48.0;
    out[0] = cos(0.5 * angle);
    for (int k = 0; k < 3; ++k) {
        out[k + 1] = factor * p[k];
    }
}

/* Rotation vector (at most half a turn) that leads from the reference to q. */
static void rotation_vector(const fmu_Turned *t, const double *reference, const double *q, double *p) {
    const double *r = reference + t->place;
    const double back[4] = {r[0], -r[1], -r[2], -r[3]};
    double d[4];
    if (t->body) {
        product(back, q + t->place, d);
    } else {
        product(q + t->place, back, d);
    }
    const double sign = d[0] < 0.0 ? -1.0 : 1.0;
    const double sine = sqrt(d[1] * d[1] + d[2] * d[2] + d[3] * d[3]);
    const double factor = sine > 1e-9 ? 2.0 * atan2(sine, sign * d[0]) / sine : 2.0;
    for (int k = 0; k < 3; ++k) {
        p[k] = sign * factor * d[k + 1];
    }
}

static int is_whole(const fmu_Turned *t) {
    return t->entry[0] >= 0 && t->entry[1] >= 0 && t->entry[2] >= 0;
}

/* The rotation vector of a quaternion now: from the positions where all of it is independent. */
static void vector_of(const fmu_Model *m, const fmu_Turned *t, double *p) {
    if (is_whole(t)) {
        for (int k = 0; k < 3; ++k) {
            p[k] = m->now.position[t->entry[k]];
        }
        return;
    }
    rotation_vector(t, m->now.reference, m->now.q, p);
}

void fmu_unit_quaternions(double *q) {
    for (int i = 0; i < fmu_TURNED; ++i) {
        double *x = q + fmu_turned[i].place;
        const double factor = 1.0 / sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2] + x[3] * x[3]);
        for (int k = 0; k < 4; ++k) {
            x[k] *= factor;
        }
    }
}

/* Independent rotations of q as the positions say. */
static void turn_whole(fmu_Model *m) {
    for (int i = 0; i < fmu_TURNED; ++i) {
        const fmu_Turned *t = &fmu_turned[i];
        if (is_whole(t)) {
            double p[3], by[4];
            vector_of(m, t, p);
            turn(p, by);
            if (t->body) {
                product(m->now.reference + t->place, by, m->now.q + t->place);
            } else {
                product(by, m->now.reference + t->place, m->now.q + t->place);
            }
        }
    }
}

/* What is missing of rotations of which a part is independent, as a step of v; its largest. */
static double missing_turns(fmu_Model *m) {
    double most = 0.0;
    memset(m->work_v, 0, sizeof m->work_v);
    for (int i = 0; i < fmu_TURNED; ++i) {
        const fmu_Turned *t = &fmu_turned[i];
        double p[3];
        if (is_whole(t) || (t->entry[0] < 0 && t->entry[1] < 0 && t->entry[2] < 0)) {
            continue;
        }
        rotation_vector(t, m->now.reference, m->now.q, p);
        for (int k = 0; k < 3; ++k) {
            if (t->entry[k] >= 0) {
                m->work_v[t->entry[k]] = m->now.position[t->entry[k]] - p[k];
                most = fmax(most, fabs(m->work_v[t->entry[k]]));
            }
        }
    }
    return most;
}

/* Independent coordinates of q as the positions say, or a motion that leads drives. */
static void put_independent(fmu_Model *m) {
    for (int k = 0; k < fmu_NV; ++k) {
        if (fmu_plain[k] >= 0) {
            m->now.q[fmu_plain[k]] = m->now.position[k];
        }
    }
    if (fmu_LED && fmu_MODE == 0) {
        fmu_fill_row(m, m->now.time, m->now.time);
        fmu_lead(m, m->now.q, m->work_v, m->now.time);
    }
    turn_whole(m);
}

/* From the anchor along the way of the independent coordinates, so that the loops stay in their branch. */
static int go_near(fmu_Model *m) {
    double *way = m->way, longest = 0.0;
    put_independent(m);
    missing_turns(m);
    memcpy(way, m->work_v, sizeof m->work_v);
    for (int i = 0; i < fmu_TURNED; ++i) {
        const fmu_Turned *t = &fmu_turned[i];
        double p[3];
        rotation_vector(t, m->now.anchor, m->now.q, p);
        for (int k = 0; k < 3 && is_whole(t); ++k) {
            way[t->entry[k]] = p[k];
        }
    }
    for (int k = 0; k < fmu_NV; ++k) {
        way[k] = fmu_plain[k] >= 0 ? m->now.q[fmu_plain[k]] - m->now.anchor[fmu_plain[k]] : way[k];
        longest = fmax(longest, fabs(way[k]) / fmu_nominals[k]);
    }
    const int parts = (int)fmin(fmax(ceil(longest / PART), 1.0), MOST_PARTS);
    memcpy(m->now.q, m->now.anchor, sizeof m->now.q);
    for (int k = 0; k < fmu_NV; ++k) {
        way[k] /= parts;
    }
    memset(m->none, 0, sizeof m->none);
    for (int i = 0; i < 2 * parts - 1; ++i) {
        const double *by = i % 2 ? m->none : way;
        const uint64_t status = fmu_closing(m->prepared, m->now.q, by, m->work_q, m->step);
        if (status) {
            return fmu_failed(m, fmu_OF_CLOSING, status, fmu_DISCARD);
        }
        memcpy(m->now.q, m->work_q, sizeof m->now.q);
    }
    return fmu_OK;
}

/* q from the positions, beginning at the anchor. */
int fmu_place(fmu_Model *m) {
    memcpy(m->now.q, m->now.anchor, sizeof m->now.q);
    for (int k = 0; k < fmu_NV; ++k) {
        if (!isfinite(m->now.position[k])) {
            return fmu_complain(m, fmu_DISCARD, "position %d is not finite", k);
        }
    }
    if (fmu_turned_by(m, 1) > 3.0) {
        return fmu_complain(m, fmu_DISCARD, "a rotation of more than 3 rad since the last event: take shorter steps");
    }
    if (fmu_CLOSING) {
        const int status = go_near(m);
        if (status != fmu_OK) {
            return status;
        }
    }
    put_independent(m);
    if (fmu_CLOSING) {
        double before = HUGE_VAL;
        for (int count = 0;; ++count) {
            const double turns = missing_turns(m);
            const uint64_t status = fmu_closing(m->prepared, m->now.q, m->work_v, m->work_q, m->step);
            double most = turns;
            for (int k = 0; k < fmu_NU; ++k) {
                most = fmax(most, fabs(m->step[k]) / fmu_units[k]);
            }
            if (status || !isfinite(most)) {
                return fmu_failed(m, fmu_OF_CLOSING, status, fmu_DISCARD);
            }
            memcpy(m->now.q, m->work_q, sizeof m->now.q);
            if (most < CLOSED || (most < NEARLY && most >= before)) {
                break;
            }
            if (count >= MOST_STEPS || most > 1e3) {
                return fmu_complain(m, fmu_DISCARD, "the loops do not close at t = %.9g s: the independent positions are out of reach, or "
                                    "too far from where the robot was; take shorter steps", m->now.time);
            }
            before = most;
        }
        turn_whole(m);
    }
    m->now.open = 0.0;
    return fmu_OK;
}

/* Positions from q. */
void fmu_take_positions(fmu_Model *m) {
    for (int k = 0; k < fmu_NV; ++k) {
        if (fmu_plain[k] >= 0) {
            m->now.position[k] = m->now.q[fmu_plain[k]];
        }
    }
    for (int i = 0; i < fmu_TURNED; ++i) {
        double p[3];
        rotation_vector(&fmu_turned[i], m->now.reference, m->now.q, p);
        for (int k = 0; k < 3; ++k) {
            if (fmu_turned[i].entry[k] >= 0) {
                m->now.position[fmu_turned[i].entry[k]] = p[k];
            }
        }
    }
}

/* All charts begin here. */
void fmu_move_charts(fmu_Model *m) {
    memcpy(m->now.reference, m->now.q, sizeof m->now.q);
    fmu_take_positions(m);
}

/* The largest rotation from where charts begin (rad); whole: of those that are independent alone, by the positions. */
double fmu_turned_by(const fmu_Model *m, int whole) {
    double most = 0.0;
    for (int i = 0; i < fmu_TURNED; ++i) {
        const fmu_Turned *t = &fmu_turned[i];
        const int some = t->entry[0] >= 0 || t->entry[1] >= 0 || t->entry[2] >= 0;
        double p[3];
        if (!some || (whole && !is_whole(t))) {
            continue;
        }
        vector_of(m, t, p);
        most = fmax(most, sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]));
    }
    return most;
}

/* (1 - x cot x)/(4 x x) with x = sqrt(s)/2, and its slope by s. */
static double bend(double s, double *slope) {
    if (s < 0.5) {
        static const double c[] = {1.0 / 12.0, 1.0 / 720.0, 1.0 / 30240.0, 1.0 / 1209600.0, 1.0 / 47900160.0,
                                   691.0 / 1307674368000.0, 1.0 / 74724249600.0, 3617.0 / 10670622842880000.0};
        double value = 0.0, own = 0.0;
        for (int k = 7; k >= 0; --k) {
            own = own * s + value;
            value = value * s + c[k];
        }
        *slope = own;
        return value;
    }
    const double angle = sqrt(s), half = 0.5 * angle, cot = cos(half) / sin(half), sine = sin(half);
    const double by_angle = -2.0 / (s * angle) + cot / (2.0 * s) + 1.0 / (4.0 * angle * sine * sine);
    *slope = by_angle / (2.0 * angle);
    return 1.0 / s - cot / (2.0 * angle);
}

static void cross(const double *a, const double *b, double *out) {
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

/* Rate of the rotation vector p at angular velocity w; along a direction d of p its change (d may be 0). */
static void vector_rate(int body, const double *p, const double *w, const double *d, double *rate, double *change) {
    const double sign = body ? 0.5 : -0.5;
    double pw[3], ppw[3], slope;
    const double k = bend(p[0] * p[0] + p[1] * p[1] + p[2] * p[2], &slope);
    cross(p, w, pw);
    cross(p, pw, ppw);
    for (int i = 0; i < 3; ++i) {
        rate[i] = w[i] + sign * pw[i] + k * ppw[i];
    }
    if (d) {
        double dw[3], dpw[3], pdw[3];
        const double growth = 2.0 * slope * (p[0] * d[0] + p[1] * d[1] + p[2] * d[2]);
        cross(d, w, dw);
        cross(d, pw, dpw);
        cross(p, dw, pdw);
        for (int i = 0; i < 3; ++i) {
            change[i] = sign * dw[i] + k * (dpw[i] + pdw[i]) + growth * ppw[i];
        }
    }
}

/* Angular velocity of a quaternion, from its rate or, where all of it is independent, from v. */
static void spin_of(const fmu_Model *m, const fmu_Turned *t, double *w) {
    if (is_whole(t)) {
        for (int k = 0; k < 3; ++k) {
            w[k] = m->now.v[t->entry[k]];
        }
        return;
    }
    const double *x = m->now.q + t->place, *rate = m->qdot + t->place;
    const double back[4] = {x[0], -x[1], -x[2], -x[3]};
    double both[4];
    if (t->body) {
        product(back, rate, both);
    } else {
        product(rate, back, both);
    }
    for (int k = 0; k < 3; ++k) {
        w[k] = 2.0 * both[k + 1];
    }
}

/* Rates of the positions; rates of q must be known. */
void fmu_position_rates(fmu_Model *m) {
    for (int k = 0; k < fmu_NV; ++k) {
        if (fmu_plain[k] >= 0) {
            m->position_rate[k] = m->qdot[fmu_plain[k]];
        }
    }
    for (int i = 0; i < fmu_TURNED; ++i) {
        const fmu_Turned *t = &fmu_turned[i];
        double p[3], w[3], rate[3];
        vector_of(m, t, p);
        spin_of(m, t, w);
        vector_rate(t->body, p, w, NULL, rate, NULL);
        for (int k = 0; k < 3; ++k) {
            if (t->entry[k] >= 0) {
                m->position_rate[t->entry[k]] = rate[k];
            }
        }
    }
}

/* Of an independent rotation: rate of its vector by w (inverse), by the vector (along), and w by the rate (plain). */
void fmu_rotation_slopes(const fmu_Model *m, int index, double inverse[3][3], double along[3][3], double plain[3][3]) {
    const fmu_Turned *t = &fmu_turned[index];
    double p[3], w[3], rate[3], change[3];
    vector_of(m, t, p);
    spin_of(m, t, w);
    for (int k = 0; k < 3; ++k) {
        double unit[3] = {0.0, 0.0, 0.0};
        unit[k] = 1.0;
        vector_rate(t->body, p, unit, NULL, rate, NULL);
        for (int i = 0; i < 3; ++i) {
            inverse[i][k] = rate[i];
        }
        vector_rate(t->body, p, w, unit, rate, change);
        for (int i = 0; i < 3; ++i) {
            along[i][k] = change[i];
        }
    }
    for (int i = 0; i < 3; ++i) {
        for (int k = 0; k < 3; ++k) {
            const double *a = inverse[(k + 1) % 3], *b = inverse[(k + 2) % 3];
            plain[i][k] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
        }
    }
    const double determinant = inverse[0][0] * plain[0][0] + inverse[0][1] * plain[1][0] + inverse[0][2] * plain[2][0];
    for (int i = 0; i < 3; ++i) {
        for (int k = 0; k < 3; ++k) {
            plain[i][k] /= determinant;
        }
    }
}
