/* SPDX-License-Identifier: MIT
 *
 * Tests hw/cl_gen.h: every bit of every field of every record survives unpack and pack. Record sizes and bit positions
 * are compared with bytes written by hand from [guide p.65-79].
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "hw/cl.h"

#define MAX_RECORD_B 64

static bool field_holds(const struct cl_packet_info *info, uint32_t bit)
{
    for (uint32_t i = 0; i < info->field_count; i++) {
        const struct cl_field_info *f = &info->fields[i];
        if (bit >= f->start && bit < f->start + f->bits)
            return true;
    }
    return false;
}

/* Repacks a record with one bit set, for each bit: the bit must survive if a field holds it and must vanish if not. */
static void check_each_bit(const struct cl_packet_info *info, uint32_t first_bit, uint8_t id)
{
    uint8_t in[MAX_RECORD_B], out[MAX_RECORD_B];
    assert_true(info->size_B <= MAX_RECORD_B);
    for (uint32_t bit = first_bit; bit < info->size_B * 8; bit++) {
        memset(in, 0, sizeof in);
        memset(out, 0xee, sizeof out);
        in[0] = first_bit ? id : 0;
        in[bit / 8] |= (uint8_t)(1u << bit % 8);
        info->repack(out, in);
        bool kept = out[bit / 8] >> bit % 8 & 1;
        if (kept != field_holds(info, bit))
            fail_msg("%s: bit %u is %s", info->name, bit, kept ? "kept though no field holds it" : "lost");
        if (!kept)
            in[bit / 8] &= (uint8_t)~(1u << bit % 8);
        assert_memory_equal(in, out, info->size_B);
        assert_int_equal(out[info->size_B], 0xee);
    }
}

static void check_random(const struct cl_packet_info *info, uint32_t first_bit, uint8_t id)
{
    for (int n = 0; n < 500; n++) {
        uint8_t in[MAX_RECORD_B] = {0}, once[MAX_RECORD_B], twice[MAX_RECORD_B];
        for (uint32_t i = 0; i < info->size_B; i++)
            in[i] = (uint8_t)rand();
        if (first_bit)
            in[0] = id;
        for (uint32_t i = 0; i < info->field_count; i++) { /* no NaNs: the x87 makes them quiet */
            uint32_t top = (uint32_t)info->fields[i].start + info->fields[i].bits - 2;
            if (info->fields[i].is_float)
                in[top / 8] &= (uint8_t)~(1u << top % 8);
        }
        info->repack(once, in);
        info->repack(twice, once);
        assert_memory_equal(once, twice, info->size_B);
        for (uint32_t bit = 0; bit < info->size_B * 8; bit++) {
            if (bit < first_bit || field_holds(info, bit))
                assert_int_equal(in[bit / 8] >> bit % 8 & 1, once[bit / 8] >> bit % 8 & 1);
        }
    }
}

static void every_packet_round_trips(void **state)
{
    int count = 0;
    for (unsigned id = 0; id < 256; id++) {
        const struct cl_packet_info *info = cl_packet_info((uint8_t)id);
        if (!info)
            continue;
        check_each_bit(info, 8, (uint8_t)id);
        check_random(info, 8, (uint8_t)id);
        count++;
    }
    assert_true(count >= 35);
    assert_null(cl_packet_info(2));
    assert_null(cl_packet_info(255));
}

static void every_struct_round_trips(void **state)
{
    for (uint32_t i = 0; i < CL_STRUCT_COUNT; i++) {
        check_each_bit(cl_struct_info(i), 0, 0);
        check_random(cl_struct_info(i), 0, 0);
    }
    assert_null(cl_struct_info(CL_STRUCT_COUNT));
}

static void bytes_are_the_guide_s(void **state)
{
    struct util_stream s;
    util_stream_init(&s, 64, NULL);
    cl_emit(&s, TILE_BINNING_MODE_CONFIG, tile_binning_mode_config, p) {
        p.width_tl = 2;
        p.height_tl = 3;
        p.auto_init = true;
        p.block = 2;
    }
    cl_emit(&s, START_TILE_BINNING, start_tile_binning, p) {}
    cl_emit(&s, PRIMITIVE_LIST_FORMAT, primitive_list_format, p) {
        p.type = CL_LIST_TRIANGLES;
        p.data = 1;
    }
    cl_emit(&s, VIEWPORT_OFFSET, viewport_offset, p) {
        p.centre_x = 64.5f;
        p.centre_y = -1.0f;
    }
    cl_emit(&s, DEPTH_OFFSET, depth_offset, p) {
        p.factor = 1.0f;
        p.units = -2.0f;
    }
    cl_emit(&s, INDEXED_PRIMITIVES, indexed_primitives, p) {
        p.mode = CL_PRIM_TRIANGLES;
        p.index_type = 1;
        p.length = 0x04030201;
        p.address = 0x08070605;
        p.max_index = 0x0c0b0a09;
    }
    cl_emit(&s, GL_SHADER_STATE, gl_shader_state, p) {
        p.attribute_count = 3;
        p.extended = true;
        p.address = 0x12345670;
    }
    cl_emit(&s, STORE_GENERAL, store_general, p) {
        p.buffer = CL_BUFFER_ZS;
        p.layout = CL_LAYOUT_LT;
        p.disable_color_clear = true;
        p.end_of_frame = true;
        p.address = 0xabcdef10;
    }
    cl_emit(&s, FLUSH, flush, p) {}
    static const uint8_t want[] = {
        112, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 3, 0x44,
        6,
        56, 0x12,
        103, 0x08, 0x04, 0xf0, 0xff,
        101, 0x80, 0x3f, 0x00, 0xc0,
        32, 0x14, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12,
        64, 0x7b, 0x56, 0x34, 0x12,
        28, 0x22, 0x20, 0x18, 0xef, 0xcd, 0xab,
        4,
    };
    uint8_t got[sizeof want];
    assert_int_equal(s.size_B, sizeof want);
    util_stream_gather(&s, got);
    assert_memory_equal(got, want, sizeof want);
    util_stream_finish(&s);
}

static void prints_one_line(void **state)
{
    char *text = NULL;
    size_t size_B = 0;
    FILE *to = open_memstream(&text, &size_B);
    assert_non_null(to);
    const uint8_t bytes[] = {56, 0x12};
    cl_packet_info(56)->print(to, bytes);
    fclose(to);
    assert_string_equal(text, "primitive_list_format type=triangles data=1\n");
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_packet_round_trips),
        cmocka_unit_test(every_struct_round_trips),
        cmocka_unit_test(bytes_are_the_guide_s),
        cmocka_unit_test(prints_one_line),
    };
    return cmocka_run_group_tests_name("cl", tests, NULL, NULL);
}
