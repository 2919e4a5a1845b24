/* Steps of a controller called `controller` with readings that are compiled in: the bits of what it gives, and where a machine has a
   counter of its own the instructions of all steps together. A line a step: status and commands, in hexadecimal digits. With
   QUIET defined steps alone, for counting from outside. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "controller.h"
#include "readings.h"

/* Instructions so far, or 0. */
uint32_t counted(void);

static controller_state state;

static uint32_t all_steps(void)
{
    controller_init(&state);
    const uint32_t begin = counted();
    for (int i = 0; i < READINGS; ++i) {
        READING_TYPE command[CONTROLLER_COMMAND_SIZE];
        (void)controller_step(&state, READ(given[i]), command);
    }
    return counted() - begin;
}

#ifdef QUIET
int main(void)
{
    return all_steps() != 0U;
}
#else
int main(void)
{
    controller_init(&state);
    for (int i = 0; i < READINGS; ++i) {
        READING_TYPE command[CONTROLLER_COMMAND_SIZE];
        unsigned char bytes[sizeof command];
        const uint64_t status = controller_step(&state, READ(given[i]), command);
        memcpy(bytes, command, sizeof command);
        printf("%08lx%08lx ", (unsigned long)(status >> 32), (unsigned long)(status & 0xffffffffU));
        for (unsigned k = 0; k < sizeof bytes; ++k) { /* all these machines put the low byte first */
            printf("%02x", (unsigned)bytes[k]);
        }
        printf("\n");
    }
    printf("counted %lu state %lu\n", (unsigned long)all_steps(), (unsigned long)sizeof state);
    return 0;
}
#endif
