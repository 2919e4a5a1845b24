/* The functions of FMI 2.0: arguments and modes; what they do stands in fmu_core.c. */
#include <string.h>

#include "fmu_face.h"
#include "fmu_memory2.h"

typedef struct {
    int again, terminate, nominals, values, defined;
    double time;
} Events;

#define GETTING (fmu_INITIALISING | EXCHANGING | fmu_STEPPING | fmu_STEP_FAILED | fmu_TERMINATED | fmu_BROKEN)

static void say(fmu_Model *m, int status, const char *text) {
    const Callbacks *c = m->callbacks;
    if (c->log && (m->logging & fmu_DISCARDS || status >= fmu_ERROR)) {
        c->log(c->environment, m->name, status, status >= fmu_ERROR ? "logStatusError" : "logStatusDiscard", "%s", text);
    }
}

EXPORT(const char *, fmi2GetTypesPlatform, (void)) {
    return "default";
}

EXPORT(const char *, fmi2GetVersion, (void)) {
    return "2.0";
}

EXPORT(int, fmi2SetDebugLogging, (void *instance, int on, size_t n, const char *const categories[])) {
    DEMAND(BOTH, fmu_ANY);
    DEMAND_POINTER(categories, n);
    return fmu_choose_logging(m, on, n, categories);
}

static void *allocate(const fmu_Model *m, size_t size) {
    return allocate2(m->callbacks, size);
}

static void release(const fmu_Model *m, void *memory) {
    release2(m->callbacks, memory);
}

EXPORT(void *, fmi2Instantiate, (const char *name, int type, const char *guid, const char *resources, const Callbacks *callbacks,
                             int visible, int logging)) {
    const char *problem = NULL;
    fmu_Model *m = NULL;
    (void)resources;
    (void)visible;
    if (!callbacks) {
        return NULL;
    }
    if (!name || !name[strspn(name, " \t\r\n")]) {
        problem = "an instance needs a name";
    } else if (!guid || strcmp(guid, fmu_TOKEN) != 0) {
        problem = "the GUID is not that of this model: description and binary do not belong together";
    } else if (type != 0 && type != 1) {
        problem = "a model is instantiated for Model Exchange (0) or Co-Simulation (1)";
    } else {
        m = allocate2(callbacks, sizeof *m);
        problem = m ? NULL : "no memory for an instance";
    }
    if (m) {
        memset(m, 0, sizeof *m);
        m->name = allocate2(callbacks, strlen(name) + 1);
        if (!m->name) {
            release2(callbacks, m);
            m = NULL;
            problem = "no memory for an instance";
        }
    }
    if (problem) {
        if (callbacks->log) {
            callbacks->log(callbacks->environment, name ? name : "", fmu_ERROR, "logStatusError", "%s", problem);
        }
        return NULL;
    }
    strcpy(m->name, name);
    m->kind = type == 0 ? fmu_EXCHANGE : fmu_STEPS;
    m->after_error = fmu_BROKEN;
    m->logging = logging ? fmu_ERRORS | fmu_DISCARDS : 0;
    m->callbacks = callbacks;
    m->say = say;
    m->allocate = allocate;
    m->release = release;
    fmu_begin(m);
    return m;
}

EXPORT(void, fmi2FreeInstance, (void *instance)) {
    fmu_Model *m = instance;
    if (m) {
        const Callbacks *c = m->callbacks;
        fmu_let_all_go(m);
        release2(c, m->name);
        release2(c, m);
    }
}

EXPORT(int, fmi2SetupExperiment, (void *instance, int tolerance_given, double tolerance, double start, int stops, double stop)) {
    (void)tolerance_given;
    (void)tolerance;
    DEMAND(BOTH, fmu_MADE);
    const int status = fmu_enter_initialisation(m, start, stops, stop);
    if (status == fmu_OK) {
        m->now.phase = fmu_MADE;
    }
    return status;
}

EXPORT(int, fmi2EnterInitializationMode, (void *instance)) {
    DEMAND(BOTH, fmu_MADE);
    m->now.phase = fmu_INITIALISING;
    return fmu_OK;
}

EXPORT(int, fmi2ExitInitializationMode, (void *instance)) {
    DEMAND(BOTH, fmu_INITIALISING);
    const int status = fmu_exit_initialisation(m);
    if (status == fmu_OK) {
        m->now.phase = m->kind == fmu_EXCHANGE ? fmu_EVENT : fmu_STEPPING;
    }
    return status;
}

EXPORT(int, fmi2Terminate, (void *instance)) {
    DEMAND(BOTH, EXCHANGING | fmu_STEPPING | fmu_STEP_FAILED);
    m->now.phase = fmu_TERMINATED;
    return fmu_OK;
}

EXPORT(int, fmi2Reset, (void *instance)) {
    DEMAND(BOTH, fmu_ANY);
    fmu_begin(m);
    return fmu_OK;
}

EXPORT(int, fmi2GetReal, (void *instance, const uint32_t references[], size_t n, double values[])) {
    DEMAND(BOTH, GETTING);
    DEMAND_POINTER(references, n);
    DEMAND_POINTER(values, n);
    return fmu_get(m, references, n, values);
}

EXPORT(int, fmi2SetReal, (void *instance, const uint32_t references[], size_t n, const double values[])) {
    DEMAND(BOTH, STARTING | EXCHANGING | fmu_STEPPING);
    DEMAND_POINTER(references, n);
    DEMAND_POINTER(values, n);
    return fmu_set(m, references, n, values, 1);
}

/* There are variables of no other type. */
#define NONE(name, type, phases)                                                                                 \
    EXPORT(int, fmi2##name, (void *instance, const uint32_t references[], size_t n, type values[])) {                 \
        DEMAND(BOTH, phases);                                                                                    \
        (void)references;                                                                                        \
        (void)values;                                                                                            \
        return n == 0 ? fmu_OK : fmu_complain(m, fmu_ERROR, "fmi2" #name ": all variables of this model are Real"); \
    }
NONE(GetInteger, int, GETTING)
NONE(GetBoolean, int, GETTING)
NONE(GetString, const char *, GETTING)
NONE(SetInteger, const int, STARTING | fmu_EVENT | fmu_STEPPING)
NONE(SetBoolean, const int, STARTING | fmu_EVENT | fmu_STEPPING)
NONE(SetString, const char *const, STARTING | fmu_EVENT | fmu_STEPPING)

EXPORT(int, fmi2GetDirectionalDerivative, (void *instance, const uint32_t unknowns[], size_t rows, const uint32_t knowns[],
                                        size_t columns, const double seed[], double result[])) {
    DEMAND(BOTH, GETTING);
    DEMAND_POINTER(unknowns, rows);
    DEMAND_POINTER(knowns, columns);
    DEMAND_POINTER(seed, columns);
    DEMAND_POINTER(result, rows);
    return fmu_derivative(m, unknowns, rows, knowns, columns, seed, result, 0);
}

/* Model Exchange */

EXPORT(int, fmi2EnterEventMode, (void *instance)) {
    DEMAND(fmu_EXCHANGE, EXCHANGING);
    m->now.phase = fmu_EVENT;
    return fmu_OK;
}

EXPORT(int, fmi2NewDiscreteStates, (void *instance, Events *events)) {
    int changed, event;
    double when;
    DEMAND(fmu_EXCHANGE, fmu_EVENT);
    DEMAND_POINTER(events, 1);
    const int status = fmu_update(m, &changed, &event, &when);
    if (status == fmu_OK) {
        memset(events, 0, sizeof *events);
        events->values = changed;
        events->defined = event;
        events->time = event ? when : 0.0;
    }
    return status;
}

EXPORT(int, fmi2EnterContinuousTimeMode, (void *instance)) {
    DEMAND(fmu_EXCHANGE, fmu_EVENT);
    m->now.phase = fmu_CONTINUOUS;
    return fmu_OK;
}

EXPORT(int, fmi2CompletedIntegratorStep, (void *instance, int keeps, int *enter, int *terminate)) {
    int event = 0;
    (void)keeps;
    DEMAND(fmu_EXCHANGE, fmu_CONTINUOUS);
    const int status = fmu_completed_step(m, &event);
    if (enter) *enter = event;
    if (terminate) *terminate = 0;
    return status;
}

EXPORT(int, fmi2SetTime, (void *instance, double time)) {
    DEMAND(fmu_EXCHANGE, EXCHANGING);
    return fmu_set_time(m, time);
}

EXPORT(int, fmi2SetContinuousStates, (void *instance, const double x[], size_t n)) {
    DEMAND(fmu_EXCHANGE, fmu_CONTINUOUS);
    DEMAND_POINTER(x, n);
    return fmu_set_states(m, x, n);
}

EXPORT(int, fmi2GetDerivatives, (void *instance, double rates[], size_t n)) {
    DEMAND(fmu_EXCHANGE, GETTING);
    DEMAND_POINTER(rates, n);
    return fmu_get_rates(m, rates, n);
}

EXPORT(int, fmi2GetEventIndicators, (void *instance, double indicators[], size_t n)) {
    DEMAND(fmu_EXCHANGE, GETTING);
    (void)indicators;
    return n == 0 ? fmu_OK : fmu_complain(m, fmu_ERROR, "this model has no event indicators");
}

EXPORT(int, fmi2GetContinuousStates, (void *instance, double x[], size_t n)) {
    DEMAND(fmu_EXCHANGE, GETTING);
    DEMAND_POINTER(x, n);
    return fmu_get_states(m, x, n);
}

EXPORT(int, fmi2GetNominalsOfContinuousStates, (void *instance, double nominals[], size_t n)) {
    DEMAND(fmu_EXCHANGE, fmu_MADE | GETTING);
    DEMAND_POINTER(nominals, n);
    if (n != fmu_STATES) {
        return fmu_complain(m, fmu_ERROR, "%lu continuous states; there are %d", (unsigned long)n, fmu_STATES);
    }
    memcpy(nominals, fmu_nominals, fmu_STATES * sizeof(double));
    return fmu_OK;
}
