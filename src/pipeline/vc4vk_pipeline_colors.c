/* SPDX-License-Identifier: MIT
 *
 * Blending, logic operations and write masks of a pipeline, which programs do. Each 32-bit word of each colour
 * attachment gets the key of the program that its replay of the draws runs.
 */
#include <string.h>
#include "device/vc4vk_error.h"
#include "pipeline/vc4vk_pipeline_state.h"

/* ---------------------------------------------------------------- create info */

/* ORDER vc4c_blend_factor, vc4c_blend_op, vc4c_logic_op: same values as Vulkan's enums. Extensions number further
 * values from 10^9 on; no program knows them. */
struct vc4vk_blend_equation vc4vk_blend_equation(const VkColorBlendEquationEXT *e)
{
    return (struct vc4vk_blend_equation){
        .src_color = (uint8_t)MIN2((uint32_t)e->srcColorBlendFactor, UINT8_MAX),
        .dst_color = (uint8_t)MIN2((uint32_t)e->dstColorBlendFactor, UINT8_MAX),
        .color_op = (uint8_t)MIN2((uint32_t)e->colorBlendOp, UINT8_MAX),
        .src_alpha = (uint8_t)MIN2((uint32_t)e->srcAlphaBlendFactor, UINT8_MAX),
        .dst_alpha = (uint8_t)MIN2((uint32_t)e->dstAlphaBlendFactor, UINT8_MAX),
        .alpha_op = (uint8_t)MIN2((uint32_t)e->alphaBlendOp, UINT8_MAX),
    };
}

/* What is dynamic may be garbage and is not read. */
static void init_attachment(struct vc4vk_choice *c, uint32_t dynamic, const VkPipelineColorBlendAttachmentState *a,
                            uint32_t location)
{
    if (!(dynamic & VC4VK_CHOICE_BLEND_ENABLE))
        c->blends |= a->blendEnable ? (uint8_t)BIT(location) : 0;
    if (!(dynamic & VC4VK_CHOICE_WRITE_MASK))
        c->write_masks[location] = (uint8_t)a->colorWriteMask;
    if (!(dynamic & VC4VK_CHOICE_BLEND_EQUATION))
        c->equations[location] = vc4vk_blend_equation(
            &(VkColorBlendEquationEXT){a->srcColorBlendFactor, a->dstColorBlendFactor, a->colorBlendOp,
                                       a->srcAlphaBlendFactor, a->dstAlphaBlendFactor, a->alphaBlendOp});
}

void vc4vk_pipeline_state_init_colors(struct vc4vk_pipeline_state *state,
                                      const VkPipelineColorBlendStateCreateInfo *info)
{
    const uint32_t all = VC4VK_CHOICE_BLEND_ENABLE | VC4VK_CHOICE_BLEND_EQUATION | VC4VK_CHOICE_WRITE_MASK;
    const uint32_t dynamic = state->choice_mask;
    struct vc4vk_choice *c = &state->choice;
    if (!info)
        return;
    for (uint32_t i = 0; (dynamic & all) != all && i < MIN2(info->attachmentCount, VC4VK_MAX_COLOR_ATTACHMENTS); i++)
        init_attachment(c, dynamic, &info->pAttachments[i], i);
    memcpy(state->fixed.blend_constants, info->blendConstants, sizeof state->fixed.blend_constants);
    c->logic_op_enable = info->logicOpEnable != 0;
    c->logic_op = (uint8_t)info->logicOp;
    const VkPipelineColorWriteCreateInfoEXT *writes =
        vc4vk_find_in_chain(info->pNext, VK_STRUCTURE_TYPE_PIPELINE_COLOR_WRITE_CREATE_INFO_EXT);
    for (uint32_t i = 0; writes && !(dynamic & VC4VK_CHOICE_COLOR_WRITES) &&
                         i < MIN2(writes->attachmentCount, VC4VK_MAX_COLOR_ATTACHMENTS);
         i++)
        c->color_writes &= (uint8_t)(writes->pColorWriteEnables[i] ? UINT32_MAX : ~BIT(i));
}

/* ---------------------------------------------------------------- keys of the replays */

static void fill_blend(struct vc4c_fragment_key *key, const struct vc4vk_blend_equation *e)
{
    key->blend_enable = 1;
    key->src_color = e->src_color;
    key->dst_color = e->dst_color;
    key->color_op = e->color_op;
    key->src_alpha = e->src_alpha;
    key->dst_alpha = e->dst_alpha;
    key->alpha_op = e->alpha_op;
}

/* Whether blending needs destination alpha that is in another word. For texels of several words the tile buffer holds
 * only one word at a time. */
static bool needs_alpha_word(const struct vc4c_fragment_key *key)
{
    const uint8_t factors[] = {key->src_color, key->dst_color, key->src_alpha, key->dst_alpha};
    bool needs = false;
    for (uint32_t i = 0; i < ARRAY_SIZE(factors); i++)
        needs |= factors[i] == VC4C_BLEND_DST_ALPHA || factors[i] == VC4C_BLEND_ONE_MINUS_DST_ALPHA ||
                 factors[i] == VC4C_BLEND_SRC_ALPHA_SATURATE;
    const struct hw_format_info *info = hw_format_info(key->color_format);
    return needs && key->blend_enable && info->block_B > 4 && info->swizzle[3] <= HW_SWIZZLE_W;
}

/* Whether the write mask enables a channel of the key's word. */
static bool is_written(const struct vc4c_fragment_key *key)
{
    if (key->pairs_alpha)
        return key->write_mask & (BIT(key->color_word) | BIT(3));
    const struct hw_format_info *info = hw_format_info(key->color_format);
    for (uint32_t i = 0; i < 4; i++)
        if ((key->write_mask & BIT(i)) && info->swizzle[i] <= HW_SWIZZLE_W &&
            info->channel[info->swizzle[i]].shift / 32 == key->color_word)
            return true;
    return false;
}

static void add_replays(struct vc4vk_pipeline_state *state, struct vc4c_fragment_key key)
{
    const uint32_t count = key.pairs_alpha ? 3 : vc4vk_format_replays(key.color_format);
    for (uint32_t word = 0; word < count; word++) {
        key.color_word = (uint8_t)word;
        state->written_replays |= is_written(&key) ? BIT(state->replay_count) : 0;
        state->replays[state->replay_count++] = key;
    }
}

/* Formats whose channels all have less than eight bits. */
static bool is_dithered(enum hw_format format)
{
    const struct hw_format_info *info = hw_format_info(format);
    bool is = true;
    for (uint32_t i = 0; i < info->channels; i++)
        is &= info->channel[i].kind == HW_KIND_NONE ||
              (info->channel[i].kind == HW_KIND_UNORM && info->channel[i].bits < 8);
    return is;
}

/* Adds the replays of one colour attachment. */
static VkResult choose_attachment(const void *object, struct vc4vk_pipeline_state *state, const struct vc4vk_choice *c,
                                  uint32_t attachment)
{
    struct vc4c_fragment_key key = state->fragment;
    const bool is_written_to =
        (c->color_writes & BIT(attachment)) && c->color_locations[attachment] != VC4VK_NO_LOCATION;
    key.color_format = c->target.colors[attachment];
    key.color_location = c->color_locations[attachment];
    if (key.color_format == HW_FORMAT_NONE)
        return VK_SUCCESS;
    key.dithers = c->target.dithers && is_dithered((enum hw_format)key.color_format);
    key.write_mask = is_written_to ? c->write_masks[attachment] & 0xf : 0;
    key.logic_op = c->logic_op_enable ? c->logic_op : VC4C_LOGIC_COPY;
    if ((c->blends & BIT(attachment)) && !c->logic_op_enable)
        fill_blend(&key, &c->equations[attachment]);
    const bool needs_alpha = needs_alpha_word(&key);
    key.pairs_alpha = needs_alpha && hw_format_info(key.color_format)->block_B == 8;
    key.alpha_apart = needs_alpha && !key.pairs_alpha;
    state->blends_apart |= key.alpha_apart;
    state->pairs |= key.pairs_alpha ? BIT(attachment) : 0;
    add_replays(state, key);
    return VK_SUCCESS;
}

VkResult vc4vk_pipeline_state_choose_replays(const void *object, struct vc4vk_pipeline_state *state,
                                             const struct vc4vk_choice *c)
{
    VkResult result = VK_SUCCESS;
    state->replay_count = state->written_replays = state->pairs = 0;
    state->blends_apart = false;
    for (uint32_t i = 0; i < VC4VK_MAX_COLOR_ATTACHMENTS && result == VK_SUCCESS; i++)
        result = choose_attachment(object, state, c, i);
    if (!state->replay_count)
        state->replays[state->replay_count++] = state->fragment;
    state->replays[state->replay_count] = state->fragment;
    state->replays[state->replay_count].color_format = HW_FORMAT_R32_UINT;
    state->replays[state->replay_count].counts = true;
    return result;
}

void vc4vk_pipeline_state_shade_samples(struct vc4vk_pipeline_state *state)
{
    state->sample_shading = state->fragment.samples > 1;
    for (uint32_t i = 0; i <= state->replay_count && state->sample_shading; i++) /* <=: also the counting program */
        state->replays[i].sample_shading = state->replays[i].use_sample_mask = 1;
}
