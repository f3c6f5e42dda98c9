/* The recorder inside a compiled program: one unit, compiled by the program's own compiler and linked into it.
 *
 * The hook (hook_MACHINE.S) saves every register and calls wl_event on a stack of the recorder's own.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <pthread.h>
#include "call.h"
#include "reads.h"
#include "containers.h"
#ifdef CONTROLLED
#include "hidden.h"
#endif
