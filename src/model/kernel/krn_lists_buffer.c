/* SPDX-License-Identifier: MIT
 *
 * A job's table of buffers, which its lists name by index [kernel vc4_validate.c].
 */
#include "model/kernel/krn_lists.h"

static const struct krn_buffer *lookup(const struct krn_lists *lists, uint32_t index, bool has_shader)
{
    if (index >= lists->args.bo_handle_count) {
        krn_refuse(KRN_RULE_BO_INDEX, "%u of %u", index, lists->args.bo_handle_count);
        return NULL;
    }
    const struct krn_buffer *buffer = &lists->buffers[index];
    if ((buffer->shader != NULL) != has_shader) {
        krn_refuse(KRN_RULE_BO_KIND, "buffer %u is %sa shader", index, buffer->shader ? "" : "not ");
        return NULL;
    }
    return buffer;
}

const struct krn_buffer *krn_lists_buffer(const struct krn_lists *lists, uint32_t index)
{
    return lookup(lists, index, false);
}

const struct krn_buffer *krn_lists_shader(const struct krn_lists *lists, uint32_t index)
{
    return lookup(lists, index, true);
}

void krn_lists_binning_reads(struct krn_lists *lists, const struct krn_buffer *buffer)
{
    if (lists->ops->binning_reads)
        lists->ops->binning_reads(lists, krn_lists_index(lists, buffer));
}
