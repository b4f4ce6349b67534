/*
 * A clock that is wrong: put between the program and libc by LD_PRELOAD. The time of day is $CLOCK_AHEAD seconds ahead;
 * the clocks for durations are right.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <time.h>

int clock_gettime(clockid_t clock, struct timespec *now)
{
    int result = ((__typeof__(&clock_gettime))dlsym(RTLD_NEXT, "clock_gettime"))(clock, now);
    if (result == 0 && clock == CLOCK_REALTIME)
        now->tv_sec += atol(getenv("CLOCK_AHEAD"));
    return result;
}
