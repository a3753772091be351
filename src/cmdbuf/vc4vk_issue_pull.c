/* SPDX-License-Identifier: MIT
 *
 * The last resort of indexed draws: copies the vertices, in the order in which they are used, into fresh memory and
 * draws them as arrays. For indices that lie more than 65535 apart and for fans that are longer than that.
 */
#include <string.h>
#include "cmdbuf/vc4vk_issue.h"
#include "util/log.h"

/* One array's elements for `n` vertices; what lies outside its memory reads as zero. */
static bool pull_array(struct vc4vk_issue *issue, const struct vc4vk_record_array *from, int32_t vertex_offset,
                       const uint32_t *ids, uint32_t n, struct vc4vk_record_array *to)
{
    const uint32_t step_B = util_align(from->size_B, 4);
    const uint8_t *map = kmd_bo_map(issue->build->bos[from->bo_index]);
    struct vc4vk_issue_memory memory;
    if (!map || !vc4vk_issue_fresh(issue, n * step_B, &memory))
        return false;
    uint8_t *out = memory.map;
    for (uint32_t i = 0; i < n; i++, out += step_B) {
        int64_t vertex = (int64_t)ids[i] + vertex_offset;
        int64_t at_B = from->offset_B + vertex * from->stride_B;
        if (from->is_ramp)
            memcpy(out, &(uint32_t){(uint32_t)vertex}, sizeof(uint32_t));
        else if (at_B >= 0 && at_B + from->size_B <= from->bo_size_B)
            memcpy(out, map + at_B, from->size_B);
        else
            memset(out, 0, from->size_B);
    }
    *to = *from;
    to->bo_index = memory.bo_index;
    to->bo_size_B = memory.bo_size_B;
    to->offset_B = memory.offset_B;
    to->stride_B = step_B;
    to->is_ramp = 0; /* it now counts from the first vertex like the others; the numbers are final */
    return true;
}

void vc4vk_issue_pull(struct vc4vk_issue *issue, const struct vc4vk_draw *draw, const struct vc4vk_record *record,
                      const uint32_t *ids, uint32_t count, uint32_t per_primitive)
{
    static const uint8_t modes[] = {0, CL_PRIM_POINTS, CL_PRIM_LINES, CL_PRIM_TRIANGLES};
    const uint32_t piece = 65535u - 65535u % per_primitive;
    util_perf("%u vertices are copied: no 16-bit index can express the draw", count);
    /* first + i of array draws comes in `ids`; vertex_offset is zero there */
    for (uint32_t done = 0; done < count; done += piece) {
        uint32_t n = MIN2(count - done, piece);
        struct vc4vk_issue_pulled pulled;
        for (uint32_t i = 0; i < record->array_count; i++) {
            const struct vc4vk_record_array *from = &record->arrays[i];
            pulled.arrays[i] = *from;
            if (!from->per_instance && from->stride_B &&
                !pull_array(issue, from, draw->vertex_offset, ids + done, n, &pulled.arrays[i])) {
                vc4vk_issue_fail(issue, VK_ERROR_OUT_OF_DEVICE_MEMORY);
                return;
            }
        }
        int32_t index = (int32_t)(issue->pulled.size_B / sizeof pulled);
        void *out = vc4vk_bytes_append(&issue->pulled, sizeof pulled);
        if (!out) {
            vc4vk_issue_fail(issue, VK_ERROR_OUT_OF_HOST_MEMORY);
            return;
        }
        memcpy(out, &pulled, sizeof pulled);
        vc4vk_issue_add_range(issue, &(struct vc4vk_issue_range){
                                         .mode = modes[per_primitive],
                                         .count = n,
                                         .max_index = n - 1,
                                         .first_vertex = 0,
                                         .pulled = index,
                                     });
    }
}
