/* SPDX-License-Identifier: MIT
 *
 * Builds the lists of a job in the kernel's order: copies the caller's data, validates and relocates it, and generates
 * the render list [kernel vc4_gem.c, notes 9.3].
 */
#include <errno.h>
#include <stdlib.h>
#include "model/kernel/krn_copy.h"
#include "model/kernel/krn_lists.h"

#define MAX_EXEC_B (UINT32_MAX - 4096u) /* rounding up to pages must not overflow */

/* Copies the caller's three areas, and allocates the memory that the chip will read. Both have the same layout: list,
 * shader records on a 16-byte boundary, uniforms. The caller frees `*copy_out`, on failure too. */
static int copy_user_data(struct krn_lists *lists, uint8_t **copy_out)
{
    const struct drm_vc4_submit_cl *args = &lists->args;
    uint64_t records_at = util_align64(args->bin_cl_size, 16), uniforms_at = records_at + args->shader_rec_size;
    uint64_t size_B = uniforms_at + args->uniforms_size;
    /* [kernel] It allocates the copy together with 8 bytes per record. */
    if (size_B > MAX_EXEC_B || args->shader_rec_count >= UINT32_MAX / 8 ||
        size_B + 8 * (uint64_t)args->shader_rec_count > UINT32_MAX)
        return krn_refuse(KRN_RULE_SUBMIT_SIZES, "list %u B, %u shader records, %u B, uniforms %u B", args->bin_cl_size,
                          args->shader_rec_count, args->shader_rec_size, args->uniforms_size);
    uint8_t *copy = *copy_out = malloc(size_B);
    if (!copy)
        return -ENOMEM;
    lists->bin_in = (struct krn_reader){copy, args->bin_cl_size};
    lists->shader_rec_in = (struct krn_reader){copy + records_at, args->shader_rec_size};
    lists->uniforms_in = (struct krn_reader){copy + uniforms_at, args->uniforms_size};
    int err = krn_copy_from_user(lists->checks_addresses, copy, args->bin_cl, args->bin_cl_size);
    if (!err)
        err = krn_copy_from_user(lists->checks_addresses, copy + records_at, args->shader_rec, args->shader_rec_size);
    if (!err)
        err = krn_copy_from_user(lists->checks_addresses, copy + uniforms_at, args->uniforms, args->uniforms_size);
    if (!err)
        err = lists->ops->alloc(lists, (uint32_t)size_B, &lists->exec);
    if (err)
        return err;
    const struct krn_list_memory *exec = &lists->exec;
    lists->shader_rec_out =
        (struct krn_writer){exec->data + records_at, exec->addr + (uint32_t)records_at, args->shader_rec_size};
    lists->uniforms_out =
        (struct krn_writer){exec->data + uniforms_at, exec->addr + (uint32_t)uniforms_at, args->uniforms_size};
    return 0;
}

int krn_lists_build(struct krn_lists *lists)
{
    uint8_t *user_data = NULL;
    int err = 0;
    if (lists->args.bin_cl_size) {
        err = copy_user_data(lists, &user_data);
        if (!err)
            err = krn_validate_bin_list(lists);
        if (!err)
            err = krn_validate_shader_records(lists);
    }
    if (!err)
        err = krn_validate_surfaces(lists);
    if (!err)
        err = krn_render_list_create(lists);
    free(user_data);
    free(lists->states);
    lists->states = NULL;
    return err;
}
