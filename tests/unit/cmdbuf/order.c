/* SPDX-License-Identifier: MIT
 *
 * Barriers become counts: which commands of which engines a command waits for.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>
#include "cmdbuf/vc4vk_cmd_order.h"

#define CHIP VC4VK_ENGINE_CHIP
#define CPU  VC4VK_ENGINE_CPU
#define COPY VC4VK_ENGINE_COPY
#define HOST VC4VK_ENGINE_HOST

#define TRANSFER VK_PIPELINE_STAGE_TRANSFER_BIT
#define COMPUTE  VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT
#define FRAGMENT VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT

static struct vc4vk_command add(struct vc4vk_cmd_order *order, enum vc4vk_engine_id engine)
{
    struct vc4vk_command command = {.engine = engine};
    vc4vk_cmd_order_add(order, &command);
    assert_int_equal(command.order, VC4VK_ORDER_BARRIER);
    return command;
}

static void barrier(struct vc4vk_cmd_order *order, VkPipelineStageFlags2 src, VkPipelineStageFlags2 dst)
{
    vc4vk_cmd_order_barrier(order, vc4vk_stages_to_src_engines(src), vc4vk_stages_to_dst_engines(dst));
}

static void check(struct vc4vk_command command, uint32_t chip, uint32_t cpu, uint32_t copy)
{
    assert_int_equal(command.waits[CHIP], chip);
    assert_int_equal(command.waits[CPU], cpu);
    assert_int_equal(command.waits[COPY], copy);
    assert_int_equal(command.waits[HOST], 0);
}

static void nothing_waits_without_a_barrier(void **state)
{
    struct vc4vk_cmd_order order;
    vc4vk_cmd_order_begin(&order);
    assert_true(order.at_barrier);
    check(add(&order, COPY), 0, 0, 0);
    assert_false(order.at_barrier);
    check(add(&order, CPU), 0, 0, 0);
    check(add(&order, CHIP), 0, 0, 0);
    check(add(&order, COPY), 0, 0, 0);
}

static void a_barrier_holds_up_its_destination(void **state)
{
    struct vc4vk_cmd_order order;
    vc4vk_cmd_order_begin(&order);
    add(&order, COPY);
    add(&order, COPY);
    add(&order, CPU);
    barrier(&order, TRANSFER, COMPUTE);
    assert_true(order.at_barrier);
    check(add(&order, CPU), 0, 0, 2);
    check(add(&order, COPY), 0, 0, 0);
    add(&order, COPY);
    check(add(&order, CPU), 0, 0, 2); /* what came after the barrier is none of its */
}

/* The chip copies as well: a transfer that it does is waited for. */
static void transfers_of_the_chip_count(void **state)
{
    struct vc4vk_cmd_order order;
    vc4vk_cmd_order_begin(&order);
    add(&order, CHIP);
    barrier(&order, TRANSFER, COMPUTE);
    check(add(&order, CPU), 1, 0, 0);
    barrier(&order, COMPUTE, TRANSFER);
    check(add(&order, CHIP), 1, 1, 0);
}

static void barriers_make_chains(void **state)
{
    struct vc4vk_cmd_order order;
    vc4vk_cmd_order_begin(&order);
    add(&order, CPU);
    barrier(&order, COMPUTE, TRANSFER); /* without a transfer between the two */
    barrier(&order, TRANSFER, FRAGMENT);
    check(add(&order, CHIP), 0, 1, 0);
    vc4vk_cmd_order_begin(&order);
    add(&order, CPU);
    barrier(&order, COMPUTE, TRANSFER);
    check(add(&order, CHIP), 0, 1, 0); /* the chip may be the one that transfers */
}

static void ends_of_the_pipe_are_all_or_nothing(void **state)
{
    struct vc4vk_cmd_order order;
    vc4vk_cmd_order_begin(&order);
    add(&order, CPU);
    add(&order, COPY);
    barrier(&order, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, TRANSFER);
    check(add(&order, COPY), 0, 0, 0);
    barrier(&order, COMPUTE, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT);
    check(add(&order, COPY), 0, 0, 0);
    barrier(&order, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT);
    check(add(&order, CHIP), 0, 1, 3);
}

/* Stages of extensions leave nothing unordered. */
static void unknown_stages_are_all(void **state)
{
    static const VkPipelineStageFlags2 stages[] = {1u << 30, UINT64_C(1) << 62, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT};
    for (uint32_t i = 0; i < 3; i++) {
        struct vc4vk_cmd_order order;
        vc4vk_cmd_order_begin(&order);
        add(&order, CPU);
        add(&order, COPY);
        add(&order, CHIP);
        barrier(&order, stages[i], stages[i]);
        check(add(&order, CPU), 1, 1, 1);
        check(add(&order, COPY), 1, 1, 1);
        check(add(&order, CHIP), 1, 1, 1);
    }
}

static void no_stages_are_no_engines(void **state)
{
    struct vc4vk_cmd_order order;
    vc4vk_cmd_order_begin(&order);
    add(&order, CPU);
    add(&order, COPY);
    barrier(&order, 0, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT);
    barrier(&order, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0);
    check(add(&order, CHIP), 0, 0, 0);
    check(add(&order, COPY), 0, 0, 0);
}

/* The stages of VK_KHR_synchronization2 are parts of those of Vulkan 1.0. */
static void parts_of_stages_are_the_same_engines(void **state)
{
    const struct {
        VkPipelineStageFlags whole;
        VkPipelineStageFlags2 parts[4];
    } stages[] = {
        {TRANSFER,
         {VK_PIPELINE_STAGE_2_COPY_BIT, VK_PIPELINE_STAGE_2_BLIT_BIT, VK_PIPELINE_STAGE_2_RESOLVE_BIT,
          VK_PIPELINE_STAGE_2_CLEAR_BIT}},
        {VK_PIPELINE_STAGE_ALL_GRAPHICS_BIT,
         {VK_PIPELINE_STAGE_2_INDEX_INPUT_BIT, VK_PIPELINE_STAGE_2_VERTEX_ATTRIBUTE_INPUT_BIT,
          VK_PIPELINE_STAGE_2_PRE_RASTERIZATION_SHADERS_BIT, VK_PIPELINE_STAGE_2_FRAGMENT_SHADER_BIT}},
    };
    for (uint32_t i = 0; i < 2; i++) {
        for (uint32_t p = 0; p < 4; p++) {
            assert_int_equal(vc4vk_stages_to_src_engines(stages[i].parts[p]),
                             vc4vk_stages_to_src_engines(stages[i].whole));
            assert_int_equal(vc4vk_stages_to_dst_engines(stages[i].parts[p]),
                             vc4vk_stages_to_dst_engines(stages[i].whole));
        }
    }
}

static void barriers_of_one_dependency_make_no_chain(void **state)
{
    struct vc4vk_cmd_order order;
    struct vc4vk_cmd_dependency dependency = {0};
    vc4vk_cmd_order_begin(&order);
    add(&order, CPU);
    vc4vk_cmd_dependency_add(&dependency, BIT(CPU), BIT(COPY));
    vc4vk_cmd_dependency_add(&dependency, BIT(COPY), BIT(CHIP));
    vc4vk_cmd_order_depend(&order, &dependency);
    check(add(&order, COPY), 0, 1, 0);
    check(add(&order, CHIP), 0, 0, 0);
    vc4vk_cmd_order_depend(&order, &dependency); /* after the first one they do */
    check(add(&order, CHIP), 0, 1, 1);
}

/* Transitions of layouts are ordered, so a barrier without a source follows what the transitions before it follow. One
 * that has a source, or no transition, does not. */
static void transitions_make_chains(void **state)
{
    struct vc4vk_cmd_order order;
    struct vc4vk_cmd_dependency first = {.before_transition = BIT(COPY)}, second = {.after_transitions = BIT(CPU)},
                                plain = {0};
    vc4vk_cmd_order_begin(&order);
    add(&order, COPY);
    vc4vk_cmd_dependency_add(&first, BIT(COPY), 0);
    vc4vk_cmd_order_depend(&order, &first);
    add(&order, COPY); /* after the transition */
    vc4vk_cmd_dependency_add(&plain, 0, BIT(CPU));
    vc4vk_cmd_order_depend(&order, &plain);
    check(add(&order, CPU), 0, 0, 0);
    vc4vk_cmd_dependency_add(&second, 0, BIT(CPU));
    vc4vk_cmd_order_depend(&order, &second);
    check(add(&order, CPU), 0, 0, 1);
    check(add(&order, CHIP), 0, 0, 0);
}

/* A timestamp, or the signal of an event, waits for its engines and what leads to them. Nothing waits for it. */
static void an_observer_waits_for_its_engines(void **state)
{
    struct vc4vk_cmd_order order;
    struct vc4vk_command observer = {.engine = HOST};
    vc4vk_cmd_order_begin(&order);
    add(&order, COPY);
    add(&order, CHIP);
    barrier(&order, TRANSFER, COMPUTE);
    add(&order, COPY);
    add(&order, CPU);
    vc4vk_cmd_order_observe(&order, &observer, BIT(CPU));
    check(observer, 1, 1, 1);
    assert_int_equal(observer.order, VC4VK_ORDER_BARRIER);
    check(add(&order, CPU), 1, 0, 1);
}

/* The second scope of an event waits for the command that waits for the event, also through a chain; the rest does not.
 */
static void waits_for_events_hold_up_their_destination(void **state)
{
    struct vc4vk_cmd_order order;
    struct vc4vk_command observer = {.engine = HOST}, wait = {.engine = HOST};
    vc4vk_cmd_order_begin(&order);
    add(&order, COPY);
    vc4vk_cmd_order_observe(&order, &observer, BIT(COPY));
    vc4vk_cmd_order_wait(&order, &wait, BIT(CPU));
    check(wait, 0, 0, 0);
    check(add(&order, COPY), 0, 0, 0);
    check(add(&order, CHIP), 0, 0, 0);
    const struct vc4vk_command held = add(&order, CPU);
    assert_int_equal(held.waits[HOST], 2);
    assert_int_equal(held.waits[COPY], 0);
    barrier(&order, COMPUTE, TRANSFER);
    assert_int_equal(add(&order, COPY).waits[HOST], 2);
}

static void a_full_barrier_holds_up_everything(void **state)
{
    struct vc4vk_cmd_order order;
    vc4vk_cmd_order_begin(&order);
    add(&order, CPU);
    add(&order, COPY);
    vc4vk_cmd_order_full_barrier(&order);
    check(add(&order, CHIP), 0, 1, 1);
    check(add(&order, CPU), 0, 1, 1);
    vc4vk_cmd_order_begin(&order); /* a segment counts anew */
    check(add(&order, CPU), 0, 0, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_waits_without_a_barrier),
        cmocka_unit_test(a_barrier_holds_up_its_destination),
        cmocka_unit_test(transfers_of_the_chip_count),
        cmocka_unit_test(barriers_make_chains),
        cmocka_unit_test(ends_of_the_pipe_are_all_or_nothing),
        cmocka_unit_test(unknown_stages_are_all),
        cmocka_unit_test(no_stages_are_no_engines),
        cmocka_unit_test(parts_of_stages_are_the_same_engines),
        cmocka_unit_test(barriers_of_one_dependency_make_no_chain),
        cmocka_unit_test(transitions_make_chains),
        cmocka_unit_test(an_observer_waits_for_its_engines),
        cmocka_unit_test(waits_for_events_hold_up_their_destination),
        cmocka_unit_test(a_full_barrier_holds_up_everything),
    };
    return cmocka_run_group_tests_name("cmdbuf_order", tests, NULL, NULL);
}
