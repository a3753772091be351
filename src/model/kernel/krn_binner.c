/* SPDX-License-Identifier: MIT
 *
 * Allocates the binner's memory: 16 MiB in slots of 512 KiB [kernel vc4_v3d.c, notes 9.8]. A job with a binning list
 * holds one slot from submission on, for tile state and initial lists. It gets more slots on overflow while it bins,
 * and returns all of them when it is finished.
 */
#include <errno.h>
#include "model/kernel/krn_device.h"
#include "model/kernel/krn_lists.h"

#define BINNER_B (KRN_BIN_SLOTS * KRN_BIN_SLOT_B)

/* Aligned to its own size, so that it never crosses a boundary of the 256 MiB that tile state addresses can span. */
int krn_binner_ensure(struct model_device *dev)
{
    int err = 0;
    pthread_mutex_lock(&dev->lock);
    if (!dev->binner)
        err = krn_bo_create_aligned(dev, BINNER_B, BINNER_B, KRN_BO_KERNEL, KRN_ANYWHERE, &dev->binner);
    pthread_mutex_unlock(&dev->lock);
    return err;
}

int krn_binner_get_slot(struct model_device *dev, const uint32_t *jobs, uint32_t *slots, uint32_t *addr_out)
{
    int err = krn_binner_ensure(dev);
    if (err)
        return err;
    pthread_mutex_lock(&dev->lock);
    while (dev->busy_slots == UINT32_MAX && *jobs)
        pthread_cond_wait(&dev->finished, &dev->lock);
    if (dev->busy_slots == UINT32_MAX) {
        err = -ENOMEM;
    } else {
        unsigned slot = (unsigned)__builtin_ctz(~dev->busy_slots);
        dev->busy_slots |= BIT(slot);
        *slots |= BIT(slot);
        *addr_out = dev->binner->addr + slot * KRN_BIN_SLOT_B;
    }
    pthread_mutex_unlock(&dev->lock);
    return err;
}

void krn_binner_put_slots(struct model_device *dev, uint32_t slots)
{
    if (!slots)
        return;
    pthread_mutex_lock(&dev->lock);
    dev->busy_slots &= ~slots;
    pthread_cond_broadcast(&dev->finished);
    pthread_mutex_unlock(&dev->lock);
}
