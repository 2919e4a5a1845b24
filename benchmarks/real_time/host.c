/* A machine without a counter that a program may read. */
#include <stdint.h>

uint32_t counted(void);

uint32_t counted(void)
{
    return 0U;
}
