/* SPDX-License-Identifier: MIT
 *
 * The functions through which Raspberry Pi programs reach the firmware's mailbox, implemented on the model: memory that
 * the QPUs see, and runs of user programs. Third-party host programs are linked with this library instead of their own
 * mailbox.c. It is named libbcm_host.so, the name that such programs look for.
 *
 * A handle is a GEM handle. There is one machine per process. execute_qpu reads pairs of words: uniforms, code.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vc4_drm.h>
#include "mailbox.h"
#include "model/model.h"

#define FAILED    0x80000000u /* the firmware's answer after its timeout */
#define BUS_ALIAS 0x3fffffffu /* the bits that select one of the four cache aliases are ignored */
#define BOS_MAX   256

static struct {
    struct model_device *dev;
    struct model_file *file;
    uint32_t handles[BOS_MAX]; /* 0: free */
    void *registers;           /* the mapping of the peripherals: memory that nothing reads */
} machine;

/* The host pointer of a bus address; NULL when it is in no buffer. */
static void *find(uint32_t addr)
{
    for (unsigned n = 0; n < BOS_MAX; n++) {
        uint64_t size_B = 0;
        uint32_t start;
        if (!machine.handles[n] || model_bo_address(machine.file, machine.handles[n], &start))
            continue;
        uint8_t *at = model_bo_map(machine.file, machine.handles[n], &size_B);
        if (at && addr >= start && addr - start < size_B)
            return at + (addr - start);
    }
    return NULL;
}

int mbox_open(void)
{
    struct model_options options = {.threads = 1, .job_timeout_ns = UINT64_C(120000000000)};

    if (machine.dev)
        return 3;
    if (model_create(&options, &machine.dev) || model_open(machine.dev, &machine.file)) {
        fprintf(stderr, "mailbox: no model\n");
        exit(1);
    }
    return 3;
}

void mbox_close(int file)
{
    (void)file;
    if (!machine.dev)
        return;
    model_close(machine.file);
    model_destroy(machine.dev);
    free(machine.registers);
    memset(&machine, 0, sizeof machine);
}

unsigned qpu_enable(int file, unsigned enable)
{
    (void)file, (void)enable;
    return 0;
}

unsigned mem_alloc(int file, unsigned size_B, unsigned align_B, unsigned flags)
{
    struct drm_vc4_create_bo create = {.size = size_B};

    (void)file, (void)flags;
    if (align_B > 4096 || model_ioctl(machine.file, DRM_IOCTL_VC4_CREATE_BO, &create))
        return 0;
    for (unsigned n = 0; n < BOS_MAX; n++) {
        if (!machine.handles[n])
            return machine.handles[n] = create.handle;
    }
    return 0;
}

unsigned mem_free(int file, unsigned handle)
{
    struct drm_gem_close close = {.handle = handle};

    (void)file;
    for (unsigned n = 0; n < BOS_MAX; n++) {
        if (machine.handles[n] == handle)
            machine.handles[n] = 0;
    }
    return model_ioctl(machine.file, DRM_IOCTL_GEM_CLOSE, &close) ? 1 : 0;
}

unsigned mem_lock(int file, unsigned handle)
{
    uint32_t addr;

    (void)file;
    return model_bo_address(machine.file, handle, &addr) ? 0 : addr;
}

unsigned mem_unlock(int file, unsigned handle)
{
    (void)file, (void)handle;
    return 0;
}

void *mapmem(unsigned addr, unsigned size_B)
{
    void *at = find(addr & BUS_ALIAS);

    if (at)
        return at;
    if (!machine.registers)
        machine.registers = calloc(1, size_B);
    return machine.registers;
}

void unmapmem(void *at, unsigned size_B)
{
    (void)at, (void)size_B;
}

unsigned execute_qpu(int file, unsigned count, unsigned list_addr, unsigned noflush, unsigned timeout_ms)
{
    struct model_user_request requests[MAILBOX_QPUS_MAX];
    const uint8_t *list = find(list_addr & BUS_ALIAS);
    struct model_user_result result;

    (void)file, (void)noflush, (void)timeout_ms;
    if (!list || count > MAILBOX_QPUS_MAX)
        return FAILED;
    for (unsigned n = 0; n < count; n++) {
        uint32_t words[2];
        memcpy(words, list + 8 * n, sizeof words);
        requests[n] = (struct model_user_request){.uniforms_addr = words[0], .code_addr = words[1]};
    }
    int err = model_run_user_programs(machine.file, requests, count, &result);
    if (err)
        fprintf(stderr, "mailbox: %s\n", result.message ? result.message : strerror(-err));
    return err ? FAILED : 0;
}
