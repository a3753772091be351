/* SPDX-License-Identifier: MIT
 *
 * Ioctls for a single buffer: creation, programs, tiling, labels, madvise, handles.
 */
#include <errno.h>
#include <string.h>
#include <drm_fourcc.h>
#include "ioctls.h"

static uint32_t page_align(uint32_t size_B)
{
    return (size_B + PAGE_B - 1) / PAGE_B * PAGE_B;
}

/* A handle and what kind of handle it is: mostly one of a slot, whose buffer may be gone. */
static uint32_t any_handle(const struct file *file)
{
    static const uint32_t bad[] = {0, 9999, 0x7fffffff, 0x80000000, 0xffffffff};
    static const uint8_t job[] = {JOB_FS, JOB_COLOR, JOB_ZS, JOB_TEXTURE};
    uint32_t slot = rnd(BO_SLOTS), kind = rnd(10);
    if (kind == 0) {
        line_kind("bad-handle");
        return PICK(bad);
    }
    return kind == 1 ? file->job[PICK(job)] : file->bos[slot].handle;
}

static void file_arg(const struct file *file)
{
    line_arg("file=%d", (int)(file - st.files));
}

/* -- creation -- */

/* Another buffer may get the mmap offset of one that is closed, and which one is the system's choice. */
static int close_handle(struct file *file, struct drm_gem_close *args)
{
    int err = call(file->fd, DRM_IOCTL_GEM_CLOSE, args);
    for (uint32_t i = 0; i < BO_SLOTS; i++)
        if (!err && file->bos[i].handle == args->handle)
            file->bos[i].offset = 0;
    return err;
}

static void store(struct file *file, uint32_t handle, uint32_t size_B)
{
    struct bo_slot *slot = &file->bos[rnd(BO_SLOTS)];
    if (slot->handle) {
        struct drm_gem_close args = {.handle = slot->handle};
        line_begin("GEM_CLOSE", "make-room");
        file_arg(file);
        line_arg("handle=%u", slot->handle);
        line_result(close_handle(file, &args));
        line_end();
    }
    *slot = (struct bo_slot){.handle = handle, .size_B = page_align(size_B)};
}

/* Sizes between a few MiB and the whole address space are left out: whether there is memory is not the driver's choice.
 */
static void random_create(void)
{
    static const uint32_t sizes[] = {1, 4095, 4096, 4097, 8192, 12288, 16384, 20000, 65536, 65537};
    static const uint32_t huge[] = {0xffff0000, 0xfffff000, 0xfffff001, 0xffffffff};
    struct file *file = any_file();
    struct drm_vc4_create_bo args = {.size = PICK(sizes)};
    line_begin("CREATE_BO", "size");
    if (chance(4)) {
        line_kind("size-0");
        args.size = 0;
    } else if (chance(2)) {
        line_kind("size-huge"); /* purges what may be purged */
        args.size = PICK(huge);
        quiesce();
    }
    if (chance(10)) {
        line_kind("flags-and-pad"); /* nobody looks at them */
        args.flags = rnd32();
        args.pad = rnd32();
    }
    args.handle = chance(20) ? 77 : 0;
    file_arg(file);
    line_arg("size=%u", args.size);
    int err = call(file->fd, DRM_IOCTL_VC4_CREATE_BO, &args);
    line_result(err);
    line_out("handle=%u", args.handle);
    line_end();
    if (!err)
        store(file, args.handle, args.size);
}

/* -- programs -- */

#define MAX_WORDS 128u

/* Flips bits of an instruction, replaces one, or swaps two. */
static void mutate(uint64_t *words, uint32_t count, const char **what_out)
{
    uint64_t *word = &words[rnd(count)], *second = &words[rnd(count)];
    const uint32_t bit = rnd(64), second_bit = rnd(64);
    switch (rnd(6)) {
    case 0:
    case 1:
        *what_out = "flip-1";
        *word ^= UINT64_C(1) << bit;
        break;
    case 2:
        *what_out = "flip-2";
        *word ^= UINT64_C(1) << bit;
        *second ^= UINT64_C(1) << second_bit;
        break;
    case 3: {
        const struct program *other = &programs[rnd(program_count)];
        *what_out = "replace";
        *word = other->words[rnd(other->count)];
        break;
    }
    case 4: {
        uint64_t kept = *word;
        *what_out = "swap";
        *word = *second;
        *second = kept;
        break;
    }
    default:
        *what_out = "field"; /* of eight bits, random */
        *word ^= (uint64_t)rnd(256) << (bit & ~7u);
    }
}

/* Whether a clamp or a direct lookup has an operand that is no register: kernels look up the clamps of addresses that
 * their tables do not have, so they accept some programs which the model refuses. */
static bool has_odd_operand(const uint64_t *words, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const uint64_t w = words[i];
        const uint32_t sig = w >> 60, mux = w >> 9 & 7, raddr_a = w >> 18 & 63, raddr_b = w >> 12 & 63;
        const uint32_t op_add = w >> 24 & 31, waddr_add = w >> 38 & 63;
        const bool is_min = op_add == 12, is_lookup = waddr_add == 56 || waddr_add == 60;
        if (sig < 14 && (is_min || is_lookup) &&
            ((mux == 6 && raddr_a >= 32) || (mux == 7 && sig != 13 && raddr_b >= 32)))
            return true;
    }
    return false;
}

static void program_arg(const uint64_t *words, uint32_t count)
{
    if (has_odd_operand(words, count))
        line_kind("odd-operand");
    line_arg("words=%u digest=%08x", count, digest(words, 8 * count));
}

static void random_program(struct file *file, struct drm_vc4_create_shader_bo *args, uint64_t *words)
{
    const struct program *p = &programs[rnd(program_count)];
    uint32_t count = p->count;
    memcpy(words, p->words, 8 * count);
    if (chance(75)) {
        const char *what;
        for (uint32_t i = 0, n = 1 + rnd(2); i < n; i++) {
            mutate(words, count, &what);
            line_kind(what);
        }
    } else if (chance(20)) {
        line_kind("cut");
        count -= rnd(count < 5 ? count : 5);
    } else {
        line_kind(p->is_valid ? "valid" : "invalid");
    }
    file_arg(file);
    line_arg("program=%s", p->name);
    program_arg(words, count);
    args->size = 8 * count;
    args->data = (uintptr_t)words;
}

static void damage_program_args(struct drm_vc4_create_shader_bo *args)
{
    const char *address;
    switch (rnd(8)) {
    case 0:
        line_kind("size-0");
        args->size = 0;
        break;
    case 1:
        line_kind("size-odd");
        args->size -= 1 + rnd(7);
        break;
    case 2:
        line_kind("flags");
        args->flags = 1u << rnd(32);
        break;
    case 3:
        line_kind("pad");
        args->pad = 1u << rnd(32);
        break;
    case 4:
        line_kind("size-huge");
        quiesce();
        args->size = 0xfffffff8;
        break;
    default:
        args->data = (uintptr_t)bad_address(&address);
        line_kind(address);
    }
    line_arg("size=%u flags=%x pad=%x", args->size, args->flags, args->pad);
}

void random_shader_call(void)
{
    uint64_t words[MAX_WORDS];
    struct drm_vc4_create_shader_bo args = {0};
    struct file *file = any_file();
    line_begin("CREATE_SHADER_BO", "program");
    random_program(file, &args, words);
    if (chance(12))
        damage_program_args(&args);
    int err = call(file->fd, DRM_IOCTL_VC4_CREATE_SHADER_BO, &args);
    line_result(err);
    line_out("handle=%u", args.handle);
    line_end();
    if (!err)
        store(file, args.handle, args.size);
}

/* -- properties -- */

static void random_close(void)
{
    struct file *file = any_file();
    struct drm_gem_close args = {.pad = chance(20) ? rnd32() : 0};
    static const uint32_t bad[] = {0, 9999, 0x80000000, 0xffffffff};
    struct bo_slot *slot = &file->bos[rnd(BO_SLOTS)];
    line_begin("GEM_CLOSE", "slot");
    args.handle = slot->handle;
    if (chance(15)) {
        line_kind("bad-handle");
        args.handle = PICK(bad);
    }
    file_arg(file);
    line_arg("handle=%u", args.handle);
    line_result(close_handle(file, &args));
    line_end();
}

static const uint64_t modifiers[] = {DRM_FORMAT_MOD_LINEAR,
                                     DRM_FORMAT_MOD_BROADCOM_VC4_T_TILED,
                                     DRM_FORMAT_MOD_BROADCOM_VC4_T_TILED,
                                     DRM_FORMAT_MOD_BROADCOM_SAND128,
                                     DRM_FORMAT_MOD_INVALID,
                                     1};

static void random_set_tiling(void)
{
    struct file *file = any_file();
    struct drm_vc4_set_tiling args = {.modifier = PICK(modifiers)};
    line_begin("SET_TILING", "modifier");
    args.handle = any_handle(file);
    if (chance(8)) {
        line_kind("flags");
        args.flags = 1u << rnd(32);
    }
    file_arg(file);
    line_arg("handle=%u modifier=%llx flags=%x", args.handle, (unsigned long long)args.modifier, args.flags);
    line_result(call(file->fd, DRM_IOCTL_VC4_SET_TILING, &args));
    line_end();
}

static void random_get_tiling(void)
{
    struct file *file = any_file();
    struct drm_vc4_get_tiling args = {0};
    line_begin("GET_TILING", "plain");
    args.handle = any_handle(file);
    if (chance(8)) {
        line_kind("flags");
        args.flags = 1u << rnd(32);
    }
    if (chance(8)) {
        line_kind("modifier");
        args.modifier = PICK(modifiers);
    }
    file_arg(file);
    line_arg("handle=%u modifier=%llx flags=%x", args.handle, (unsigned long long)args.modifier, args.flags);
    line_result(call(file->fd, DRM_IOCTL_VC4_GET_TILING, &args));
    line_out("modifier=%llx", (unsigned long long)args.modifier);
    line_end();
}

/* Few names: a kernel keeps them for ever. */
static void random_label(void)
{
    static const char *const names[] = {"a", "buffer", "a longer name of a buffer", "vc4", ""};
    struct file *file = any_file();
    const char *name = PICK(names);
    struct drm_vc4_label_bo args = {.name = (uintptr_t)name, .len = (uint32_t)strlen(name)};
    line_begin("LABEL_BO", "name");
    args.handle = any_handle(file);
    switch (rnd(8)) {
    case 0:
        line_kind("longer");
        args.len += 1 + rnd(100000);
        break;
    case 1:
        line_kind("shorter");
        args.len -= args.len ? 1 + rnd(args.len) : 0;
        break;
    case 2:
        line_kind("length-max");
        args.len = 0xffffffff;
        break;
    case 3: {
        const char *address;
        args.name = (uintptr_t)bad_address(&address);
        line_kind(address);
        args.len = 1 + rnd(8);
        break;
    }
    default:
        break;
    }
    file_arg(file);
    line_arg("handle=%u name=%zu len=%u", args.handle, strlen(name), args.len);
    line_result(call(file->fd, DRM_IOCTL_VC4_LABEL_BO, &args));
    line_end();
}

static void random_madvise(void)
{
    static const uint32_t advice[] = {VC4_MADV_WILLNEED, VC4_MADV_DONTNEED, VC4_MADV_DONTNEED, 2, 3, 0xffffffff};
    struct file *file = any_file();
    struct drm_vc4_gem_madvise args = {.madv = PICK(advice), .retained = 7};
    static const uint32_t bad[] = {0, 9999, 0xffffffff};
    line_begin("GEM_MADVISE", "slot");
    /* Buffers of jobs stay as they are, or no job would be accepted any more. */
    args.handle = file->bos[rnd(BO_SLOTS)].handle;
    if (chance(10)) {
        line_kind("bad-handle");
        args.handle = PICK(bad);
    }
    if (chance(6)) {
        line_kind("pad");
        args.pad = 1u << rnd(32);
    }
    quiesce();
    file_arg(file);
    line_arg("handle=%u madv=%u pad=%x", args.handle, args.madv, args.pad);
    line_result(call(file->fd, DRM_IOCTL_VC4_GEM_MADVISE, &args));
    line_out("retained=%u", args.retained);
    line_end();
}

static void random_mmap_bo(void)
{
    struct file *file = any_file();
    struct drm_vc4_mmap_bo args = {.flags = chance(10) ? rnd32() : 0};
    struct bo_slot *slot = &file->bos[rnd(BO_SLOTS)];
    line_begin("MMAP_BO", "slot");
    args.handle = slot->handle;
    bool is_bad = chance(10);
    if (is_bad) {
        line_kind("bad-handle");
        args.handle = chance(50) ? 9999 : 0;
    }
    file_arg(file);
    line_arg("handle=%u", args.handle);
    int err = call(file->fd, DRM_IOCTL_VC4_MMAP_BO, &args);
    line_result(err);
    line_out("offset=%s", !args.offset ? "0" : args.offset % PAGE_B ? "unaligned" : "page");
    line_end();
    if (!err && !is_bad)
        slot->offset = args.offset;
}

static void random_hang_state(void)
{
    struct file *file = any_file();
    struct drm_vc4_get_hang_state args = {.bo_count = rnd(3)};
    line_begin("GET_HANG_STATE", "count");
    file_arg(file);
    line_arg("bo_count=%u", args.bo_count);
    line_result(call(file->fd, DRM_IOCTL_VC4_GET_HANG_STATE, &args));
    line_out("bo_count=%u", args.bo_count);
    line_end();
}

void random_bo_call(void)
{
    static void (*const calls[])(void) = {
        random_create,     random_create, random_create,  random_create,  random_close,   random_set_tiling,
        random_get_tiling, random_label,  random_madvise, random_madvise, random_mmap_bo, random_mmap_bo,
    };
    if (chance(2))
        random_hang_state();
    else
        PICK(calls)();
}
