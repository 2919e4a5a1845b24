/* What an importer of FMI 2.0 gives: where messages go, and memory. */
#ifndef fmu_MEMORY2_H
#define fmu_MEMORY2_H

#include <stdlib.h>

typedef struct {
    void (*log)(void *environment, const char *instance, int status, const char *category, const char *message, ...);
    void *(*allocate)(size_t n, size_t size);
    void (*release)(void *memory);
    void (*finished)(void *environment, int status);
    void *environment;
} Callbacks;

static inline void *allocate(const Callbacks *c, size_t size) {
    return c->allocate ? c->allocate(1, size) : calloc(1, size);
}

static inline void release(const Callbacks *c, void *memory) {
    if (c->release) {
        c->release(memory);
    } else {
        free(memory);
    }
}

#endif
