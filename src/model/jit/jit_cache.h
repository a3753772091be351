/* SPDX-License-Identifier: MIT
 *
 * Compiled programs of the process: which QPU programs there are, how often they ran, and their host code once the
 * compiling thread has made it. Lives in the driver; loads libvc4vk_jit.so from the driver's own directory when the
 * first program is worth it. Without the library, and under VC4VK_DEBUG=no-jit, nothing is ever ready.
 */
#ifndef JIT_CACHE_H
#define JIT_CACHE_H

#include "model/jit/jit.h"

struct jit_cache;
struct jit_unit; /* a program by its content */

/* The process's cache, made for the first and gone with the last that asks. NULL: the interpreter does everything. */
struct jit_cache *jit_cache_acquire(void);
void jit_cache_release(struct jit_cache *cache); /* NULL is accepted */

/* The program's unit, held until it is dropped. NULL when there is no memory for it, or no cache. */
struct jit_unit *jit_unit_get(struct jit_cache *cache, const struct jit_source *source);
void jit_unit_drop(struct jit_cache *cache, struct jit_unit *unit); /* NULL is accepted */
const struct jit_source *jit_unit_source(const struct jit_unit *unit);

/* Host code, or NULL: interpret it. Counts the uses that decide when it is worth compiling. */
jit_fn jit_unit_use(struct jit_cache *cache, struct jit_unit *unit);
/* The same without counting one. */
jit_fn jit_unit_entry(const struct jit_unit *unit); /* NULL is accepted */
/* How many interpreted instructions of a user program count as a run of it, however few have ended. */
unsigned jit_unit_instrs_per_run(const struct jit_unit *unit);
/* What was interpreted took as long as so many more runs. */
void jit_unit_count(struct jit_cache *cache, struct jit_unit *unit, unsigned runs);

#endif
