/* What both versions of the interface do with an instance: values in and out, modes, events, derivatives, snapshots. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "fmu_core.h"

#define WHOLE_TURN 1.0
#define PART_TURN 0.3

/* Numbers of variables of each kind. */
static const uint32_t counts[] = {1, fmu_INPUTS, fmu_DESIGN, fmu_NV, fmu_NV, fmu_NF, fmu_NV, fmu_NV, fmu_NF, fmu_TOLD, fmu_FORCES, fmu_NQ};

int fmu_kind_of(uint32_t reference, int *place) {
    for (int kind = 0; kind < fmu_KINDS; ++kind) {
        if (reference < counts[kind]) {
            *place = (int)reference;
            return kind;
        }
        reference -= counts[kind];
    }
    return fmu_KINDS;
}

int fmu_complain(fmu_Model *m, int status, const char *format, ...) {
    va_list values;
    va_start(values, format);
    vsnprintf(m->text, sizeof m->text, format, values);
    va_end(values);
    m->say(m, status, m->text);
    if (status == fmu_ERROR) {
        m->now.phase = m->after_error;
    }
    return status;
}

/* Which categories of messages are told; all where n is 0. */
int fmu_choose_logging(fmu_Model *m, int on, size_t n, const char *const *categories) {
    int asked = n ? 0 : fmu_ERRORS | fmu_DISCARDS;
    for (size_t i = 0; i < n; ++i) {
        if (categories[i] && strcmp(categories[i], "logStatusError") == 0) {
            asked |= fmu_ERRORS;
        } else if (categories[i] && strcmp(categories[i], "logStatusDiscard") == 0) {
            asked |= fmu_DISCARDS;
        } else {
            return fmu_complain(m, fmu_ERROR, "log category %s: there are logStatusError and logStatusDiscard",
                                categories[i] ? categories[i] : "(null)");
        }
    }
    m->logging = on ? m->logging | asked : m->logging & ~asked;
    return fmu_OK;
}

/* Whether a function may be called now. kinds: of instances it is for; phases: in which it is allowed. */
int fmu_demand(fmu_Model *m, int kinds, int phases, const char *function) {
    static const char *const names[] = {"instantiated", "initialization", "event mode", "continuous-time mode",
                                        "step complete", "step failed",   "terminated", "error"};
    if (!(m->kind & kinds)) {
        return fmu_complain(m, fmu_ERROR, "%s is for %s alone; this instance is not made for it", function,
                            kinds == fmu_EXCHANGE ? "Model Exchange" : "Co-Simulation");
    }
    if ((int)m->now.phase & phases) {
        return fmu_OK;
    }
    int k = 0;
    while (k < 7 && !((int)m->now.phase >> k & 1)) {
        ++k;
    }
    return fmu_complain(m, fmu_ERROR, "%s is not allowed in the state '%s'%s", function, names[k],
                        k > 4 ? "; reset the instance, or set it back to a snapshot" : "");
}

/* All as at the begin. */
void fmu_begin(fmu_Model *m) {
    memset(&m->now, 0, sizeof m->now);
    m->now.phase = fmu_MADE;
    m->now.kind = m->kind;
    m->now.stop = HUGE_VAL;
    m->now.event = HUGE_VAL;
    memcpy(m->now.q, fmu_first_q, sizeof m->now.q);
    memcpy(m->now.v, fmu_first_v, sizeof m->now.v);
    memcpy(m->now.own, fmu_first_own, sizeof m->now.own);
    memcpy(m->now.input, fmu_first_input, sizeof m->now.input);
    memcpy(m->now.design, fmu_design_start, sizeof m->now.design);
    memcpy(m->now.anchor, m->now.q, sizeof m->now.q);
    fmu_move_charts(m);
    m->fresh = m->designed = 0;
}

/* What follows from the design. */
static int apply_design(fmu_Model *m) {
    uint64_t status = fmu_design(m->now.design, m->parameters);
    if (status) {
        return fmu_complain(m, fmu_ERROR, "the design cannot be: %s", fmu_check_text(fmu_OF_DESIGN, status));
    }
    for (int k = 0; k < fmu_PARAMETERS; ++k) {
        if (!isfinite(m->parameters[k])) {
            return fmu_complain(m, fmu_ERROR, "a number of the design is not finite");
        }
    }
    const int wrong = fmu_prepare(m->parameters, m->prepared);
    if (wrong) {
        return fmu_complain(m, fmu_ERROR, "parameter %s is structure (a zero or a right angle that is folded into the code); export the "
                            "robot with that number", fmu_parameter_names[wrong - 1]);
    }
    m->designed = 1;
    return fmu_OK;
}

/* Brings all that depends on state and inputs up to date. */
int fmu_evaluate(fmu_Model *m) {
    const int grade = (int)m->now.phase & (fmu_MADE | fmu_INITIALISING) ? fmu_ERROR : fmu_DISCARD;
    if (m->fresh) {
        return fmu_OK;
    }
    if (!m->designed) {
        const int status = apply_design(m);
        if (status != fmu_OK) {
            return status;
        }
    }
    if (m->now.open != 0.0) {
        const int status = fmu_place(m);
        if (status != fmu_OK) {
            return grade;
        }
    }
    fmu_fill_row(m, m->now.time, m->now.time + fmu_STEP);
    uint64_t status = fmu_rates(m->prepared, m->now.q, m->now.v, m->now.own, m->row, m->now.time, m->qdot, m->vdot, m->flow, m->tau);
    if (status) {
        return fmu_failed(m, fmu_OF_RATES, status, grade);
    }
    status = fmu_outputs(m->prepared, m->now.q, m->now.v, m->now.own, m->row, m->now.time, m->told);
    if (status) {
        return fmu_failed(m, fmu_OF_OUTPUTS, status, grade);
    }
    fmu_position_rates(m);
    m->fresh = 1;
    return fmu_OK;
}

/* Wrong arguments are told before anything is computed or set. */
int fmu_get(fmu_Model *m, const uint32_t *references, size_t n, double *values) {
    int k = 0;
    for (size_t i = 0; i < n; ++i) {
        if (fmu_kind_of(references[i], &k) == fmu_KINDS) {
            return fmu_complain(m, fmu_ERROR, "there is no variable %lu", (unsigned long)references[i]);
        }
    }
    for (size_t i = 0; i < n; ++i) {
        const int kind = fmu_kind_of(references[i], &k);
        if (kind >= fmu_IS_POSITION_RATE) {
            const int status = fmu_evaluate(m);
            if (status != fmu_OK) {
                return status;
            }
        }
        const double *from[] = {&m->now.time, m->now.input, m->now.design, m->now.position,   m->now.v, m->now.own,
                                m->position_rate, m->vdot,  m->flow,       m->told,           m->tau,   m->now.q};
        values[i] = from[kind][k];
    }
    return fmu_OK;
}

/* states: whether continuous states may be set in continuous-time mode, too. */
static int demand_settable(fmu_Model *m, uint32_t reference, double value, int states) {
    const int starting = (int)m->now.phase & (fmu_MADE | fmu_INITIALISING);
    const int moving = (int)m->now.phase & fmu_CONTINUOUS && states;
    const unsigned long number = reference;
    int k = 0;
    const int kind = fmu_kind_of(reference, &k);
    if (kind == fmu_KINDS) {
        return fmu_complain(m, fmu_ERROR, "there is no variable %lu", number);
    }
    if (!isfinite(value)) {
        return fmu_complain(m, fmu_ERROR, "variable %lu: %g is no number to set", number, value);
    }
    if (kind == fmu_IS_INPUT) {
        return fmu_OK;
    }
    if (kind != fmu_IS_DESIGN && kind != fmu_IS_POSITION && kind != fmu_IS_VELOCITY && kind != fmu_IS_OWN) {
        return fmu_complain(m, fmu_ERROR, "variable %lu is calculated and cannot be set", number);
    }
    if (!starting && !(moving && kind != fmu_IS_DESIGN)) {
        return fmu_complain(m, fmu_ERROR, "variable %lu has a start value alone: set it before the end of initialization", number);
    }
    return fmu_OK;
}

int fmu_set(fmu_Model *m, const uint32_t *references, size_t n, const double *values, int states) {
    for (size_t i = 0; i < n; ++i) {
        if (demand_settable(m, references[i], values[i], states) != fmu_OK) {
            return fmu_ERROR;
        }
    }
    for (size_t i = 0; i < n; ++i) {
        int k = 0;
        const int kind = fmu_kind_of(references[i], &k);
        double *place = kind == fmu_IS_INPUT      ? m->now.input
                        : kind == fmu_IS_DESIGN   ? m->now.design
                        : kind == fmu_IS_POSITION ? m->now.position
                        : kind == fmu_IS_VELOCITY ? m->now.v
                                                  : m->now.own;
        const int same = place[k] == values[i];
        m->fresh = m->fresh && same;
        m->designed = m->designed && (same || kind != fmu_IS_DESIGN);
        if (!same && (kind == fmu_IS_DESIGN || kind == fmu_IS_POSITION)) {
            m->now.open = 1.0;
        }
        place[k] = values[i];
    }
    return fmu_OK;
}

int fmu_enter_initialisation(fmu_Model *m, double start, int stops, double stop) {
    if (!isfinite(start) || (stops && !(stop > start))) {
        return fmu_complain(m, fmu_ERROR, "start time %g s, stop time %g s: give finite ones, the second behind the first", start, stop);
    }
    m->now.time = start;
    m->now.piece = 0.0;
    m->now.stop = stops ? stop : HUGE_VAL;
    m->now.phase = fmu_INITIALISING;
    m->fresh = 0;
    fmu_find_piece(m);
    return fmu_OK;
}

int fmu_exit_initialisation(fmu_Model *m) {
    const int status = fmu_evaluate(m);
    if (status != fmu_OK) {
        return status;
    }
    memcpy(m->now.anchor, m->now.q, sizeof m->now.q);
    memcpy(m->now.q, fmu_first_q, sizeof m->now.q);
    int seen = fmu_look(m, 1, fmu_ERROR);
    memcpy(m->now.q, m->now.anchor, sizeof m->now.q);
    if (seen == fmu_OK) {
        seen = fmu_look(m, 0, fmu_ERROR);
    }
    return seen;
}

/* Model Exchange */

int fmu_set_time(fmu_Model *m, double time) {
    if (!isfinite(time)) {
        return fmu_complain(m, fmu_ERROR, "time %g s is not finite", time);
    }
    m->fresh = m->fresh && m->now.time == time;
    m->now.open = fmu_LED && fmu_MODE == 0 ? 1.0 : m->now.open;
    m->now.time = time;
    return fmu_OK;
}

static int demand_count(fmu_Model *m, size_t n) {
    return n == fmu_STATES ? fmu_OK
                           : fmu_complain(m, fmu_ERROR, "%lu continuous states; there are %d", (unsigned long)n, fmu_STATES);
}

static void gather(double *x, const double *position, const double *velocity, const double *own) {
    memcpy(x, position, fmu_NV * sizeof(double));
    memcpy(x + fmu_NV, velocity, fmu_NV * sizeof(double));
    memcpy(x + 2 * fmu_NV, own, fmu_NF * sizeof(double));
}

int fmu_get_states(fmu_Model *m, double *x, size_t n) {
    const int status = demand_count(m, n);
    if (status == fmu_OK) {
        gather(x, m->now.position, m->now.v, m->now.own);
    }
    return status;
}

int fmu_set_states(fmu_Model *m, const double *x, size_t n) {
    int status = demand_count(m, n);
    for (size_t k = 0; status == fmu_OK && k < n; ++k) {
        if (!isfinite(x[k])) {
            status = fmu_complain(m, fmu_DISCARD, "continuous state %lu: %g is no number to set", (unsigned long)k, x[k]);
        }
    }
    if (status == fmu_OK) {
        memcpy(m->now.position, x, fmu_NV * sizeof(double));
        memcpy(m->now.v, x + fmu_NV, fmu_NV * sizeof(double));
        memcpy(m->now.own, x + 2 * fmu_NV, fmu_NF * sizeof(double));
        m->now.open = 1.0;
        m->fresh = 0;
    }
    return status;
}

int fmu_get_rates(fmu_Model *m, double *rates, size_t n) {
    int status = demand_count(m, n);
    if (status == fmu_OK) {
        status = fmu_evaluate(m);
    }
    if (status == fmu_OK) {
        gather(rates, m->position_rate, m->vdot, m->flow);
    }
    return status;
}

/* Whether charts should begin anew. */
static int leaves_chart(const fmu_Model *m) {
    return fmu_turned_by(m, 1) > WHOLE_TURN || fmu_turned_by(m, 0) > (fmu_COUPLED ? PART_TURN : WHOLE_TURN);
}

int fmu_completed_step(fmu_Model *m, int *event) {
    int status = fmu_evaluate(m);
    if (status == fmu_OK) {
        status = fmu_look(m, 0, fmu_ERROR);
    }
    if (status == fmu_OK) {
        memcpy(m->now.anchor, m->now.q, sizeof m->now.q);
        *event = leaves_chart(m);
    }
    return status;
}

int fmu_update(fmu_Model *m, int *states_changed, int *event_defined, double *event) {
    int status = fmu_evaluate(m);
    *states_changed = *event_defined = 0;
    if (status != fmu_OK) {
        return status;
    }
    const double before = m->now.piece;
    fmu_find_piece(m);
    m->fresh = m->fresh && before == m->now.piece;
    if (fmu_CLOCKED) {
        const double time = m->now.time;
        fmu_fill_row(m, time, time + fmu_STEP);
        memcpy(m->stage_own[0], m->now.own, sizeof m->now.own);
        status = fmu_tick(m);
        if (status != fmu_OK) {
            return status;
        }
        m->now.time = time;
        m->fresh = 0;
        *states_changed = memcmp(m->stage_own[0], m->now.own, fmu_NF * sizeof(double)) != 0;
    }
    if (leaves_chart(m)) {
        fmu_move_charts(m);
        m->fresh = 0;
        *states_changed = 1;
    }
    memcpy(m->now.anchor, m->now.q, sizeof m->now.q);
    *event = m->now.event;
    if (fmu_piece(m) + 1 < fmu_PIECES) {
        *event = fmin(*event, fmu_rows[fmu_piece(m)][1]);
    }
    *event_defined = isfinite(*event) && *event < 1e12;
    return fmu_OK;
}
