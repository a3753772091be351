/* SPDX-License-Identifier: MIT
 *
 * Checks and relocates a binning list [kernel vc4_validate.c, notes 9.4]. The table at the end has a row per allowed
 * packet. A packet whose row has no function is copied unchanged.
 *
 * If a packet refers to memory, its function writes the bus address into the copy that the chip will read.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "hw/cl_gen.h"
#include "model/kernel/krn_lists.h"

#define TILE_STATE_B 48u /* per tile [kernel vc4_drv.h] */

struct cursor {
    struct krn_lists *lists;
    uint32_t offset_B; /* of the packet in the caller's list */
    uint8_t *out;      /* its copy */
    const uint8_t *in;
};

typedef int validate_fn(const struct cursor *c);

/* -- rules 1 and 2: start and end of the list -- */

static int validate_config(const struct cursor *c)
{
    struct krn_lists *lists = c->lists;
    struct cl_tile_binning_mode_config config;
    cl_tile_binning_mode_config_unpack(c->in, &config);
    if (lists->has_config)
        return krn_refuse(KRN_RULE_BIN_CONFIG, "twice in one list");
    lists->has_config = true;
    if (!config.width_tl || !config.height_tl)
        return krn_refuse(KRN_RULE_BIN_CONFIG, "%u x %u tiles", config.width_tl, config.height_tl);
    if (config.double_buffer || config.color_64)
        return krn_refuse(KRN_RULE_BIN_CONFIG, "double buffer or 64-bit colour");
    uint32_t state_B = util_align(config.width_tl * config.height_tl * TILE_STATE_B, 4096);
    if (state_B >= KRN_BIN_SLOT_B)
        return krn_refuse(KRN_RULE_BIN_CONFIG, "state of %u x %u tiles exceeds a binner slot", config.width_tl,
                          config.height_tl);
    int err = lists->ops->get_bin_slot(lists, &lists->bin_slot_addr);
    if (err)
        return err;
    lists->bin_width_tl = config.width_tl;
    lists->bin_height_tl = config.height_tl;
    lists->tile_alloc_addr = lists->bin_slot_addr + state_B;

    config.tile_state_address = lists->bin_slot_addr;
    config.tile_alloc_address = lists->tile_alloc_addr;
    config.tile_alloc_size_B = KRN_BIN_SLOT_B - state_B;
    config.auto_init = true;
    config.initial_block = 0; /* 32 B */
    config.block = 2;         /* 128 B */
    cl_tile_binning_mode_config_pack(c->out, &config);
    return 0;
}

static int validate_start(const struct cursor *c)
{
    if (c->lists->has_start)
        return krn_refuse(KRN_RULE_BIN_START, "twice in one list");
    if (!c->lists->has_config)
        return krn_refuse(KRN_RULE_BIN_START, "before the tile binning mode config");
    c->lists->has_start = true;
    return 0;
}

static int validate_increment_semaphore(const struct cursor *c)
{
    if (c->lists->args.bin_cl_size - c->offset_B != 2)
        return krn_refuse(KRN_RULE_BIN_END, "increment semaphore at byte %u is not the second to last packet",
                          c->offset_B);
    c->lists->has_increment = true;
    return 0;
}

static int validate_flush(const struct cursor *c)
{
    if (c->lists->args.bin_cl_size - c->offset_B != 1)
        return krn_refuse(KRN_RULE_BIN_END, "flush at byte %u is not the last packet", c->offset_B);
    c->lists->has_flush = true;
    return 0;
}

/* -- rule 3: shader state -- */

static int validate_gl_shader_state(const struct cursor *c)
{
    struct krn_lists *lists = c->lists;
    struct cl_gl_shader_state state;
    cl_gl_shader_state_unpack(c->in, &state);
    if (lists->state_count == lists->args.shader_rec_count)
        return krn_refuse(KRN_RULE_SHADER_STATE, "more than the %u shader records given", lists->args.shader_rec_count);
    if (state.address)
        return krn_refuse(KRN_RULE_SHADER_STATE, "address 0x%x, must be 0", state.address);
    if (lists->state_count == lists->state_capacity) {
        uint32_t capacity = MAX2(2 * lists->state_capacity, 16);
        struct krn_shader_state *grown = realloc(lists->states, capacity * sizeof *grown);
        if (!grown)
            return -ENOMEM;
        lists->states = grown;
        lists->state_capacity = capacity;
    }
    struct krn_shader_state *s = &lists->states[lists->state_count++];
    s->attributes = state.attribute_count ? state.attribute_count : 8;
    s->extended = state.extended;
    s->max_index = 0;

    /* krn_validate_shader_records() later writes the records at these addresses, in this order. */
    uint32_t size_B = util_align((s->extended ? 100 + 4 * s->attributes : 36 + 8 * s->attributes), 16);
    if (size_B > lists->shader_rec_out.left_B)
        return krn_refuse(KRN_RULE_SHADER_REC_SIZE, "record %u", lists->state_count - 1);
    state.address = lists->shader_rec_out.addr;
    lists->shader_rec_out.addr += size_B;
    lists->shader_rec_out.left_B -= size_B;
    cl_gl_shader_state_pack(c->out, &state);
    return 0;
}

static struct krn_shader_state *current_state(struct krn_lists *lists)
{
    if (!lists->state_count) {
        krn_refuse(KRN_RULE_NO_SHADER_STATE, "no GL shader state yet");
        return NULL;
    }
    return &lists->states[lists->state_count - 1];
}

/* -- rules 4 and 5: primitives -- */

static int validate_indexed_primitives(const struct cursor *c)
{
    struct krn_lists *lists = c->lists;
    struct cl_indexed_primitives prim;
    cl_indexed_primitives_unpack(c->in, &prim);
    struct krn_shader_state *state = current_state(lists);
    if (!state)
        return -EINVAL;
    state->max_index = MAX2(state->max_index, prim.max_index);
    const struct krn_buffer *indices = krn_lists_buffer(lists, lists->bo_index[0]);
    if (!indices)
        return -EINVAL;
    uint32_t index_B = prim.index_type ? 2 : 1;
    if (prim.address > indices->size_B || (indices->size_B - prim.address) / index_B < prim.length)
        return krn_refuse(KRN_RULE_INDEX_BUFFER, "%u indices of %u B at %u do not lie in %u B", prim.length, index_B,
                          prim.address, indices->size_B);
    krn_lists_binning_reads(lists, indices);
    prim.address += indices->addr;
    cl_indexed_primitives_pack(c->out, &prim);
    return 0;
}

static int validate_array_primitives(const struct cursor *c)
{
    struct cl_array_primitives prim;
    cl_array_primitives_unpack(c->in, &prim);
    struct krn_shader_state *state = current_state(c->lists);
    if (!state)
        return -EINVAL;
    if (prim.first > UINT32_MAX - prim.length)
        return krn_refuse(KRN_RULE_VERTEX_RANGE, "%u vertices from %u on", prim.length, prim.first);
    state->max_index = MAX2(state->max_index, prim.first + prim.length - 1); /* length 0 wraps: the highest index */
    return 0;
}

/* -- rule 6: software packet -- */

static int validate_gem_handles(const struct cursor *c)
{
    struct cl_gem_handles handles;
    cl_gem_handles_unpack(c->in, &handles);
    c->lists->bo_index[0] = handles.handle0;
    c->lists->bo_index[1] = handles.handle1;
    return 0;
}

/* -- the table -- */

struct bin_packet {
    bool allowed;
    validate_fn *validate;
};

static const struct bin_packet bin_packets[256] = {
    [CL_HALT_ID] = {true},
    [CL_NOP_ID] = {true},
    [CL_FLUSH_ID] = {true, validate_flush},
    [CL_FLUSH_ALL_STATE_ID] = {true},
    [CL_START_TILE_BINNING_ID] = {true, validate_start},
    [CL_INCREMENT_SEMAPHORE_ID] = {true, validate_increment_semaphore},
    [CL_INDEXED_PRIMITIVES_ID] = {true, validate_indexed_primitives},
    [CL_ARRAY_PRIMITIVES_ID] = {true, validate_array_primitives},
    [CL_PRIMITIVE_LIST_FORMAT_ID] = {true},
    [CL_GL_SHADER_STATE_ID] = {true, validate_gl_shader_state},
    [CL_CONFIGURATION_BITS_ID] = {true},
    [CL_FLAT_SHADE_FLAGS_ID] = {true},
    [CL_POINT_SIZE_ID] = {true},
    [CL_LINE_WIDTH_ID] = {true},
    [CL_RHT_X_BOUNDARY_ID] = {true},
    [CL_DEPTH_OFFSET_ID] = {true},
    [CL_CLIP_WINDOW_ID] = {true},
    [CL_VIEWPORT_OFFSET_ID] = {true},
    [CL_CLIPPER_XY_SCALING_ID] = {true},
    [CL_CLIPPER_Z_SCALE_OFFSET_ID] = {true},
    [CL_TILE_BINNING_MODE_CONFIG_ID] = {true, validate_config},
    [CL_GEM_HANDLES_ID] = {true, validate_gem_handles},
};

int krn_validate_bin_list(struct krn_lists *lists)
{
    uint8_t *out = lists->exec.data;
    uint32_t size_B = lists->args.bin_cl_size, written_B = 0;
    struct krn_writer records = lists->shader_rec_out; /* restored below: validating state packets advances it */
    for (uint32_t at = 0; at < size_B;) {
        uint8_t id = lists->bin_in.data[at];
        if (!bin_packets[id].allowed)
            return krn_refuse(KRN_RULE_BIN_PACKET, "packet %u at byte %u", id, at);
        const struct cl_packet_info *info = cl_packet_info(id);
        if (info->size_B > size_B - at)
            return krn_refuse(KRN_RULE_BIN_FITS, "%s at byte %u of %u", info->name, at, size_B);
        struct cursor c = {.lists = lists, .offset_B = at, .out = out + written_B, .in = lists->bin_in.data + at};
        memcpy(c.out, c.in, info->size_B);
        int err = bin_packets[id].validate ? bin_packets[id].validate(&c) : 0;
        if (err)
            return err;
        at += info->size_B;
        if (id != CL_GEM_HANDLES_ID)
            written_B += info->size_B;
        if (id == CL_HALT_ID)
            break;
    }
    lists->shader_rec_out = records;
    lists->ct0ca = lists->exec.addr;
    lists->ct0ea = lists->exec.addr + written_B;
    if (!lists->has_start)
        return krn_refuse(KRN_RULE_BIN_START, "missing");
    if (!lists->has_increment || !lists->has_flush)
        return krn_refuse(KRN_RULE_BIN_END, "%s missing", lists->has_flush ? "increment semaphore" : "flush");
    return 0;
}
