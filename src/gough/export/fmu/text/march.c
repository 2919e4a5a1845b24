/* Co-Simulation: equal steps of an explicit Runge-Kutta method, and what a law's clock does; rows of the time loop. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "fmu_core.h"

#define CLOSINGS 2
#define SLACK 1e-9
#define SAME 1e-12
#define MOST_TURNS 1e8

/* What fails, in words. */
int fmu_failed(fmu_Model *m, int program, uint64_t status, int grade) {
    return fmu_complain(m, grade, "%s fails at t = %.9g s", fmu_check_text(program, status), m->now.time);
}

/* The row of the table that holds now. */
int fmu_piece(const fmu_Model *m) {
    const int k = (int)m->now.piece;
    return k < 0 ? 0 : k < fmu_PIECES ? k : fmu_PIECES - 1;
}

/* The row of the time loop from a time to a time. */
void fmu_fill_row(fmu_Model *m, double begin, double end) {
    memcpy(m->row, fmu_rows[fmu_piece(m)], sizeof m->row);
    if (fmu_MODE == 0) {
        m->row[0] = begin;
        m->row[1] = end;
    } else {
        m->row[0] = m->row[2] = begin;
        m->row[1] = end;
        for (int k = 0; k < fmu_DRIVES; ++k) {
            double *c = m->row + fmu_FIRST + k * (fmu_DEGREE + 1);
            if (fmu_MODE == 1) {
                c[0] = m->now.input[k];
            } else if (fmu_MODE == 2) {
                c[0] = m->now.q[fmu_drive_q[k]];
                c[1] = m->now.v[fmu_drive_v[k]];
                c[2] = 0.5 * m->now.input[k];
            }
        }
    }
    for (int k = 0; k < fmu_LOADS; ++k) {
        m->row[fmu_ROW - fmu_LOADS + k] = m->now.input[fmu_INPUTS - fmu_LOADS + k];
    }
}

/* Goes on to the row that holds now. */
void fmu_find_piece(fmu_Model *m) {
    while (fmu_piece(m) + 1 < fmu_PIECES && fmu_rows[fmu_piece(m)][1] <= m->now.time + SAME * (1.0 + fabs(m->now.time))) {
        m->now.piece = fmu_piece(m) + 1.0;
    }
}

/* What the clock of the law does now. */
int fmu_tick(fmu_Model *m) {
    if (fmu_CLOCKED) {
        double time = m->now.time;
        const uint64_t status =
            fmu_clock(m->prepared, m->now.q, m->now.v, m->now.own, m->row, m->now.time, m->work_own, &time, &m->now.event);
        if (status) {
            return fmu_failed(m, fmu_OF_CLOCK, status, fmu_DISCARD);
        }
        memcpy(m->now.own, m->work_own, sizeof m->now.own);
        m->now.time = time;
    }
    return fmu_OK;
}

/* Drives that follow a motion are where it is. */
void fmu_lead(const fmu_Model *m, double *q, double *v, double time) {
    const double s = time - m->row[2];
    for (int k = 0; fmu_LED && k < fmu_DRIVES; ++k) {
        const double *c = m->row + fmu_FIRST + k * (fmu_DEGREE + 1);
        double x = 0.0, xd = 0.0;
        for (int j = fmu_DEGREE; j >= 0; --j) {
            x = x * s + c[j];
        }
        for (int j = fmu_DEGREE; j >= 1; --j) {
            xd = xd * s + j * c[j];
        }
        q[fmu_drive_q[k]] = x;
        v[fmu_drive_v[k]] = xd;
    }
}

static void add(int n, double *x, double factor, const double *y) {
    for (int k = 0; k < n; ++k) {
        x[k] += factor * y[k];
    }
}

/* One step h; the state stays as it is where it cannot be done. */
static int turn(fmu_Model *m, double h) {
    double *q = m->work_q, *v = m->work_v, *own = m->work_own;
    for (int i = 0; i < fmu_STAGES; ++i) {
        memcpy(q, m->now.q, sizeof m->now.q);
        memcpy(v, m->now.v, sizeof m->now.v);
        memcpy(own, m->now.own, sizeof m->now.own);
        for (int j = 0; j < i; ++j) {
            if (fmu_A[i][j] != 0.0) {
                const double part = h * fmu_A[i][j];
                add(fmu_NQ, q, part, m->stage_q[j]);
                add(fmu_NV, v, part, m->stage_v[j]);
                add(fmu_NF, own, part, m->stage_own[j]);
            }
        }
        if (i) {
            fmu_unit_quaternions(q);
        }
        const uint64_t status = fmu_rates(m->prepared, q, v, own, m->row, m->now.time + fmu_c[i] * h, m->stage_q[i], m->stage_v[i],
                                          m->stage_own[i], m->tau);
        if (status) {
            return fmu_failed(m, fmu_OF_RATES, status, fmu_DISCARD);
        }
    }
    memset(q, 0, sizeof m->now.q);
    memset(v, 0, sizeof m->now.v);
    memset(own, 0, sizeof m->now.own);
    for (int i = 0; i < fmu_STAGES; ++i) {
        if (fmu_b[i] != 0.0) {
            add(fmu_NQ, q, fmu_b[i], m->stage_q[i]);
            add(fmu_NV, v, fmu_b[i], m->stage_v[i]);
            add(fmu_NF, own, fmu_b[i], m->stage_own[i]);
        }
    }
    for (int k = 0; k < fmu_NQ; ++k) {
        q[k] = m->now.q[k] + q[k] * h;
    }
    for (int k = 0; k < fmu_NV; ++k) {
        v[k] = m->now.v[k] + v[k] * h;
    }
    for (int k = 0; k < fmu_NI; ++k) {
        own[k] = m->now.own[k] + own[k] * h;
    }
    fmu_unit_quaternions(q);
    fmu_lead(m, q, v, m->now.time + h);
    for (int k = 0; fmu_CLOSING && k < CLOSINGS; ++k) {
        double *none = m->stage_v[0], *next = m->stage_q[0];
        memset(none, 0, sizeof m->stage_v[0]);
        const uint64_t status = fmu_closing(m->prepared, q, none, next, m->step);
        if (status) {
            return fmu_failed(m, fmu_OF_CLOSING, status, fmu_DISCARD);
        }
        memcpy(q, next, sizeof m->now.q);
    }
    memcpy(m->now.q, q, sizeof m->now.q);
    memcpy(m->now.v, v, sizeof m->now.v);
    memcpy(m->now.own, own, sizeof m->now.own);
    return fmu_OK;
}

/* Equal steps to the end of a stretch of time. */
static int march(fmu_Model *m, double end) {
    const double begin = m->now.time, length = end - begin;
    const double slack = fmax(SLACK, 4.0 * fabs(end) * 2.220446049250313e-16 / fmu_STEP);
    const double count = fmax(ceil(length / fmu_STEP - slack), 1.0);
    const double h = fabs(length - count * fmu_STEP) <= slack * fmu_STEP ? fmu_STEP : length / count;
    fmu_fill_row(m, begin, end);
    for (double k = 0.0; k < count; k += 1.0) {
        int status = fmu_tick(m);
        if (status == fmu_OK) {
            status = turn(m, h);
        }
        if (status != fmu_OK) {
            return status;
        }
        m->now.time = m->now.time + h;
        status = fmu_look(m, 0, fmu_DISCARD);
        if (status != fmu_OK) {
            return status;
        }
    }
    m->now.time = end;
    return fmu_OK;
}

/* A communication step. On failure time is that of the last step that was taken. */
int fmu_advance(fmu_Model *m, double from, double step) {
    const double near = SLACK * (1.0 + fabs(m->now.time)), end = from + step;
    if (!(step > 0.0) || !isfinite(step)) {
        return fmu_complain(m, fmu_ERROR, "communication step %g s: give one above 0", step);
    }
    if (!(fabs(from - m->now.time) <= near)) {
        return fmu_complain(m, fmu_ERROR, "the step begins at %.12g s, but the model is at %.12g s", from, m->now.time);
    }
    if (isfinite(m->now.stop) && end > m->now.stop + near) {
        return fmu_complain(m, fmu_ERROR, "the step ends at %.12g s, behind the stop time %.12g s", end, m->now.stop);
    }
    if (step / fmu_STEP > MOST_TURNS) {
        return fmu_complain(m, fmu_DISCARD, "a communication step of %g s is more than %g steps of %g s; take shorter ones", step,
                            MOST_TURNS, fmu_STEP);
    }
    int status = fmu_evaluate(m);
    if (status != fmu_OK) {
        return status;
    }
    m->fresh = 0;
    while (status == fmu_OK && m->now.time < end) {
        double stop = end;
        fmu_find_piece(m);
        if (fmu_MODE == 0 && fmu_rows[fmu_piece(m)][1] < end - SAME * (1.0 + fabs(end))) {
            stop = fmu_rows[fmu_piece(m)][1];
        }
        if (fmu_CLOCKED) {
            fmu_fill_row(m, m->now.time, stop);
            status = fmu_tick(m);
            stop = m->now.event < stop - SLACK * (m->now.event - m->now.time) ? m->now.event : stop;
        }
        if (status == fmu_OK) {
            status = march(m, stop);
        }
    }
    memcpy(m->now.anchor, m->now.q, sizeof m->now.q);
    fmu_take_positions(m);
    if (fmu_turned_by(m, 0) > 1.0) {
        fmu_move_charts(m);
    }
    return status;
}
