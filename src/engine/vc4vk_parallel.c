/* SPDX-License-Identifier: MIT */
#include "engine/vc4vk_parallel.h"
#include "util/pool.h"

struct bands {
    struct util_pool_work work;
    void (*run)(void *data, uint32_t band);
    void *data;
};

void vc4vk_parallel_init(struct vc4vk_parallel *p)
{
    p->threads = util_pool_ref(0);
}

void vc4vk_parallel_finish(struct vc4vk_parallel *p)
{
    if (!p->threads)
        return;
    p->threads = 0;
    util_pool_unref();
}

static void take_bands(struct util_pool_work *work, unsigned slot)
{
    const struct bands *b = container_of(work, struct bands, work);
    for (uint32_t band; util_pool_take(work, slot, &band);)
        b->run(b->data, band);
}

void vc4vk_parallel_for(const struct vc4vk_parallel *p, uint32_t count, void (*run)(void *data, uint32_t band),
                        void *data)
{
    struct bands b;
    b.work.run = take_bands;
    b.work.count = count;
    b.work.slots = p->threads;
    b.run = run;
    b.data = data;
    util_pool_run(&b.work);
}
