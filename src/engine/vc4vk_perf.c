/* SPDX-License-Identifier: MIT
 *
 * VC4VK_DEBUG=perf: where a frame's time went, seen from the engines. The sums are always updated, since that costs
 * nothing compared with an entry. The model reports the details of the chip's part itself.
 */
#include "engine/vc4vk_engine_private.h"
#include "util/debug.h"
#include "util/log.h"

/* Jobs overlap (one is binned while another is rendered), and so do engines. Counts only time after *until_ns, so that
 * no time is counted twice. */
static uint64_t count_from(uint64_t *until_ns, uint64_t started_ns, uint64_t finished_ns)
{
    const uint64_t from_ns = MAX2(started_ns, *until_ns);
    *until_ns = MAX2(*until_ns, finished_ns);
    return finished_ns > from_ns ? finished_ns - from_ns : 0;
}

void vc4vk_perf_entry_locked(struct vc4vk_ring *ring, const struct vc4vk_entry *entry)
{
    const struct vc4vk_entry_times *t = &entry->times;
    struct vc4vk_perf *perf = &ring->context->scheduler->perf;
    const enum vc4vk_engine_id engine = ring->engine->id;
    if (!t->started_ns || !t->finished_ns)
        return;
    if (!perf->first_ns)
        perf->first_ns = t->started_ns;
    perf->last_ns = MAX2(perf->last_ns, t->finished_ns);
    perf->engine_ns[engine] += count_from(&perf->engine_until_ns[engine], t->started_ns, t->finished_ns);
    perf->busy_ns += count_from(&perf->busy_until_ns, t->started_ns, t->finished_ns);
}

void vc4vk_perf_present(struct vc4vk_scheduler *scheduler, uint64_t ns)
{
    atomic_fetch_add_explicit(&scheduler->perf.presents, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&scheduler->perf.present_ns, ns, memory_order_relaxed);
}

void vc4vk_perf_print(const struct vc4vk_scheduler *scheduler)
{
    const struct vc4vk_perf *perf = &scheduler->perf;
    const uint64_t frames = atomic_load(&perf->presents), whole_ns = perf->last_ns - perf->first_ns;
    if (!util_debug(UTIL_DEBUG_PERF) || !whole_ns)
        return;
    const double ms = 1e-6 / (double)MAX2(frames, 1);
    util_info(
        "time: %llu frames shown, %s %.3f ms: chip %.3f, CPU operations %.3f, CPU engine %.3f, waiting for work %.3f; "
        "beside it, presenting %.3f",
        (unsigned long long)frames, frames ? "each" : "in all", (double)whole_ns * ms,
        (double)perf->engine_ns[VC4VK_ENGINE_CHIP] * ms, (double)perf->engine_ns[VC4VK_ENGINE_COPY] * ms,
        (double)perf->engine_ns[VC4VK_ENGINE_CPU] * ms, (double)(whole_ns - perf->busy_ns) * ms,
        (double)atomic_load(&perf->present_ns) * ms);
}
