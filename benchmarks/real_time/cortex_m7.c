/* What a Cortex-M7 without an operating system needs before main, on the board mps2-an500 that qemu has: a stack, a table of
   vectors, the floating-point unit. Files and exit are semihosting's (rdimon). Everything is loaded into memory, nothing is copied.

   qemu's clock goes on by 1 ns an instruction (-icount shift=0), and SysTick counts that clock at 25 MHz: 40 instructions a tick. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { NANOSECONDS_OF_A_TICK = 40 };

extern void stack_top(void); /* no function: its address is what counts */
extern void initialise_monitor_handles(void);
extern int main(void);
uint32_t counted(void);
void begin(void);
void fault(void);

static volatile uint32_t *const access_of_coprocessors = (volatile uint32_t *)0xE000ED88U;
static volatile uint32_t *const systick = (volatile uint32_t *)0xE000E010U; /* control, reload, value */

uint32_t counted(void)
{
    return (0xFFFFFFU - systick[2]) * NANOSECONDS_OF_A_TICK;
}

void begin(void)
{
    *access_of_coprocessors |= 0xFU << 20;
    __asm volatile("dsb\n isb");
    systick[1] = 0xFFFFFFU;
    systick[2] = 0U;
    systick[0] = 5U; /* on, by the processor's clock, without interrupts */
    initialise_monitor_handles();
    const int result = main();
    (void)fflush(NULL);
    _Exit(result);
}

void fault(void)
{
    _Exit(99);
}

__attribute__((section(".vectors"), used)) static void (*const vectors[16])(void) = {
    stack_top, begin, fault, fault, fault, fault, fault,
};
