/* SPDX-License-Identifier: MIT
 *
 * QPU programs: those of jobs, and for each rule of the kernel's validator programs that obey it and programs that
 * break only this rule. `vc4-qpu asm` made the words from the text beside them (docs/qpu-text.md); the rules' programs
 * are those of tests/unit/model_kernel/shader_rules.c.
 */
#include "ioctls.h"

/* clang-format off */

static const uint64_t fs_color[] = {
    0x100009e7009e7000, /* nop */
    0x100009e7009e7000, /* nop */
    0x1002082715827d80, /* mov r0, unif */
    0x10020ba7159e7000, /* mov tlb_c, r0 */
    0x300009e7009e7000, /* nop ; end */
    0x100009e7009e7000, /* nop */
    0x500009e7009e7000, /* nop ; unlock_sb */
};

static const uint64_t vs[] = {
    0xe0020c6700301a00, /* ldi vpm_rd_setup, 0x301a00 */
    0xe0021c6700001a00, /* ldi vpm_wr_setup, 0x1a00 */
    0x100009e7009e7000, /* nop */
    0x1002082715c27d80, /* mov r0, vpm */
    0x1002086715c27d80, /* mov r1, vpm */
    0x100208a715c27d80, /* mov r2, vpm */
    0x10020c27159e7480, /* mov vpm, r2 */
    0xd0020c27159effc0, /* mov vpm, 1/2 */
    0xd0020c27159e0fc0, /* mov vpm, 1.0 */
    0x300009e7009e7000, /* nop ; end */
    0x100009e7009e7000, /* nop */
    0x100009e7009e7000, /* nop */
};

static const uint64_t cs[] = {
    0xe0020c6700301a00, /* ldi vpm_rd_setup, 0x301a00 */
    0xe0021c6700001a00, /* ldi vpm_wr_setup, 0x1a00 */
    0x100009e7009e7000, /* nop */
    0x1002082715c27d80, /* mov r0, vpm */
    0x1002086715c27d80, /* mov r1, vpm */
    0x100208a715c27d80, /* mov r2, vpm */
    0x10020c27159e7000, /* mov vpm, r0 */
    0x10020c27159e7240, /* mov vpm, r1 */
    0xd0020c27159c0fc0, /* mov vpm, 0 */
    0xd0020c27159e0fc0, /* mov vpm, 1.0 */
    0x10020c27159e7480, /* mov vpm, r2 */
    0xd0020c27159effc0, /* mov vpm, 1/2 */
    0xd0020c27159e0fc0, /* mov vpm, 1.0 */
    0x300009e7009e7000, /* nop ; end */
    0x100009e7009e7000, /* nop */
    0x100009e7009e7000, /* nop */
};

static const uint64_t fs_texture[] = {
    0x100009e7009e7000, /* nop */
    0x100009e7009e7000, /* nop */
    0xd0020e67159effc0, /* mov tmu0_t, 1/2 */
    0xd0020e27159effc0, /* mov tmu0_s, 1/2 */
    0xa00009e7009e7000, /* nop ; load_tmu0 */
    0x10020ba7159e7900, /* mov tlb_c, r4 */
    0x300009e7009e7000, /* nop ; end */
    0x100009e7009e7000, /* nop */
    0x500009e7009e7000, /* nop ; unlock_sb */
};

static const uint64_t fs_texture_4[] = {
    0x100009e7009e7000, /* nop */
    0x100009e7009e7000, /* nop */
    0xd0020ea7159effc0, /* mov tmu0_r, 1/2 */
    0xd0020ee7159c0fc0, /* mov tmu0_b, 0 */
    0xd0020e67159effc0, /* mov tmu0_t, 1/2 */
    0xd0020e27159effc0, /* mov tmu0_s, 1/2 */
    0xa00009e7009e7000, /* nop ; load_tmu0 */
    0x10020ba7159e7900, /* mov tlb_c, r4 */
    0x300009e7009e7000, /* nop ; end */
    0x100009e7009e7000, /* nop */
    0x500009e7009e7000, /* nop ; unlock_sb */
};

static const uint64_t fs_direct[] = {
    0x100009e7009e7000, /* nop */
    0xd0020827159c4fc0, /* mov r0, 4 */
    0xd0020827139c01c0, /* max r0, r0, 0 */
    0x1002086712827180, /* min r1, r0, unif */
    0x10020e270c827380, /* add tmu0_s, r1, unif */
    0xa00009e7009e7000, /* nop ; load_tmu0 */
    0x10020ba7159e7900, /* mov tlb_c, r4 */
    0x300009e7009e7000, /* nop ; end */
    0x100009e7009e7000, /* nop */
    0x500009e7009e7000, /* nop ; unlock_sb */
};

static const uint64_t fs_threaded[] = {
    0x600009e7009e7000, /* nop ; last_thrsw */
    0x100009e7009e7000, /* nop */
    0x100009e7009e7000, /* nop */
    0x1002082715827d80, /* mov r0, unif */
    0x10020ba7159e7000, /* mov tlb_c, r0 */
    0x300009e7009e7000, /* nop ; end */
    0x100009e7009e7000, /* nop */
    0x500009e7009e7000, /* nop ; unlock_sb */
};

static const uint64_t rule_idle[] = {
    0x100009e7009e7000, /* nop */
    0x300009e7009e7000, /* nop ; end */
    0x100009e7009e7000, /* nop */
    0x100009e7009e7000, /* nop */
};

static const uint64_t rule_no_end[] = {
    0x100009e7009e7000, /* nop */
    0x100009e7009e7000, /* nop */
    0x100009e7009e7000, /* nop */
};

static const uint64_t rule_end_in_delay_slot[] = {
    0x300009e7009e7000, /* nop ; end */
    0x300009e7009e7000, /* nop ; end */
    0x100009e7009e7000, /* nop */
    0x100009e7009e7000, /* nop */
};

static const uint64_t rule_breakpoint[] = {
    0x000009e7009e7000, /* nop ; breakpoint */
    0x300009e7009e7000, /* nop ; end */
    0x100009e7009e7000, /* nop */
    0x100009e7009e7000, /* nop */
};

static const uint64_t rule_coverage_load[] = {
    0x700009e7009e7000, /* nop ; load_coverage */
    0x300009e7009e7000, /* nop ; end */
    0x100009e7009e7000, /* nop */
    0x100009e7009e7000, /* nop */
};

static const uint64_t rule_color_load_end[] = {
    0x900009e7009e7000, /* nop ; load_color_end */
    0x300009e7009e7000, /* nop ; end */
    0x100009e7009e7000, /* nop */
    0x100009e7009e7000, /* nop */
};

static const uint64_t rule_alpha_load[] = {
    0xc00009e7009e7000, /* nop ; load_alpha */
    0x300009e7009e7000, /* nop ; end */
    0x100009e7009e7000, /* nop */
    0x100009e7009e7000, /* nop */
};

static const uint64_t rule_color_load[] = {
    0x800009e7009e7000, /* nop ; load_color */
    0x300009e7009e7000, /* nop ; end */
    0x100009e7009e7000, /* nop */
    0x100009e7009e7000, /* nop */
};

static const uint64_t rule_scoreboard[] = {
    0x400009e7009e7000, /* nop ; wait_sb */
    0x500009e7009e7000, /* nop ; unlock_sb */
    0x300009e7009e7000, /* nop ; end */
    0x100009e7009e7000, /* nop */
    0x100009e7009e7000, /* nop */
};

static const uint64_t rule_semaphore[] = {
    0xe80209e700000003, /* sem nop, 3 */
    0x300009e7009e7000, /* nop ; end */
    0x100009e7009e7000, /* nop */
    0x100009e7009e7000, /* nop */
};

static const uint64_t rule_branch[] = {
    0x100009e7009e7000, /* nop */
    0x100009e7009e7000, /* nop */
    0xf0f809e700000008, /* br.always pc + 8 */
    0x100009e7009e7000, /* nop */
    0x100009e7009e7000, /* nop */
    0x100009e7009e7000, /* nop */
    0x100009e7009e7000, /* nop */
    0x100009e7009e7000, /* nop */
    0x300009e7009e7000, /* nop ; end */
    0x100009e7009e7000, /* nop */
    0x100009e7009e7000, /* nop */
};

static const uint64_t rule_branch_first[] = {
    0xf0f809e700000008, /* br.always pc + 8 */
    0x100009e7009e7000, /* nop */
    0x100009e7009e7000, /* nop */
    0x100009e7009e7000, /* nop */
    0x100009e7009e7000, /* nop */
    0x100009e7009e7000, /* nop */
    0x300009e7009e7000, /* nop ; end */
    0x100009e7009e7000, /* nop */
    0x100009e7009e7000, /* nop */
};

static const uint64_t rule_branch_second[] = {
    0x100009e7009e7000, /* nop */
    0xf0f809e700000008, /* br.always pc + 8 */
    0x100009e7009e7000, /* nop */
    0x100009e7009e7000, /* nop */
    0x100009e7009e7000, /* nop */
    0x100009e7009e7000, /* nop */
    0x100009e7009e7000, /* nop */
    0x300009e7009e7000, /* nop ; end */
    0x100009e7009e7000, /* nop */
    0x100009e7009e7000, /* nop */
};

static const uint64_t rule_branch_in_delay_slots[] = {
    0x100009e7009e7000, /* nop */
    0x100009e7009e7000, /* nop */
    0xf0f809e700000008, /* br.always pc + 8 */
    0x100009e7009e7000, /* nop */
    0x100009e7009e7000, /* nop */
    0xf0f809e700000008, /* br.always pc + 8 */
    0x100009e7009e7000, /* nop */
    0x100009e7009e7000, /* nop */
    0x100009e7009e7000, /* nop */
    0x100009e7009e7000, /* nop */
    0x300009e7009e7000, /* nop ; end */
    0x100009e7009e7000, /* nop */
    0x100009e7009e7000, /* nop */
};

static const uint64_t rule_branch_after_delay_slots[] = {
    0x100009e7009e7000, /* nop */
    0x100009e7009e7000, /* nop */
    0xf0f809e700000008, /* br.always pc + 8 */
    0x100009e7009e7000, /* nop */
    0x100009e7009e7000, /* nop */
    0x100009e7009e7000, /* nop */
    0xf0f809e700000008, /* br.always pc + 8 */
    0x100009e7009e7000, /* nop */
    0x100009e7009e7000, /* nop */
    0x100009e7009e7000, /* nop */
    0x100009e7009e7000, /* nop */
    0x100009e7009e7000, /* nop */
    0x300009e7009e7000, /* nop ; end */
    0x100009e7009e7000, /* nop */
    0x100009e7009e7000, /* nop */
};

static const uint64_t rule_branch_register[] = {
    0x100009e7009e7000, /* nop */
    0x100009e7009e7000, /* nop */
    0xf0fc29e700000008, /* br.always pc + ra1 + 8 */
    0x100009e7009e7000, /* nop */
    0x100009e7009e7000, /* nop */
    0x100009e7009e7000, /* nop */
    0x100009e7009e7000, /* nop */
    0x100009e7009e7000, /* nop */
    0x300009e7009e7000, /* nop ; end */
    0x100009e7009e7000, /* nop */
    0x100009e7009e7000, /* nop */
};

static const uint64_t rule_branch_absolute[] = {
    0x100009e7009e7000, /* nop */
    0x100009e7009e7000, /* nop */
    0xf0f009e700000008, /* br.always 8 */
    0x100009e7009e7000, /* nop */
    0x100009e7009e7000, /* nop */
    0x100009e7009e7000, /* nop */
    0x100009e7009e7000, /* nop */
    0x100009e7009e7000, /* nop */
    0x300009e7009e7000, /* nop ; end */
    0x100009e7009e7000, /* nop */
    0x100009e7009e7000, /* nop */
};

static const uint64_t rule_branch_unaligned[] = {
    0x100009e7009e7000, /* nop */
    0x100009e7009e7000, /* nop */
    0xf0f809e700000004, /* br.always pc + 4 */
    0x100009e7009e7000, /* nop */
    0x100009e7009e7000, /* nop */
    0x100009e7009e7000, /* nop */
    0x100009e7009e7000, /* nop */
    0x100009e7009e7000, /* nop */
    0x300009e7009e7000, /* nop ; end */
    0x100009e7009e7000, /* nop */
    0x100009e7009e7000, /* nop */
};

static const uint64_t rule_branch_before_start[] = {
    0x100009e7009e7000, /* nop */
    0x100009e7009e7000, /* nop */
    0xf0f809e7ffffffc8, /* br.always pc + -56 */
    0x100009e7009e7000, /* nop */
    0x100009e7009e7000, /* nop */
    0x100009e7009e7000, /* nop */
    0x100009e7009e7000, /* nop */
    0x100009e7009e7000, /* nop */
    0x300009e7009e7000, /* nop ; end */
    0x100009e7009e7000, /* nop */
    0x100009e7009e7000, /* nop */
};

static const uint64_t rule_branch_to_start[] = {
    0x100009e7009e7000, /* nop */
    0x100009e7009e7000, /* nop */
    0xf0f809e7ffffffd0, /* br.always pc + -48 */
    0x100009e7009e7000, /* nop */
    0x100009e7009e7000, /* nop */
    0x100009e7009e7000, /* nop */
    0x100009e7009e7000, /* nop */
    0x100009e7009e7000, /* nop */
    0x300009e7009e7000, /* nop ; end */
    0x100009e7009e7000, /* nop */
    0x100009e7009e7000, /* nop */
};

static const uint64_t rule_branch_past_bo[] = {
    0x100009e7009e7000, /* nop */
    0x100009e7009e7000, /* nop */
    0xf0f809e700002000, /* br.always pc + 8192 */
    0x100009e7009e7000, /* nop */
    0x100009e7009e7000, /* nop */
    0x100009e7009e7000, /* nop */
    0x100009e7009e7000, /* nop */
    0x100009e7009e7000, /* nop */
    0x300009e7009e7000, /* nop ; end */
    0x100009e7009e7000, /* nop */
    0x100009e7009e7000, /* nop */
};

static const uint64_t rule_falls_on_end[] = {
    0x100009e7009e7000, /* nop */
    0x100009e7009e7000, /* nop */
    0xf0f809e7fffffff8, /* br.always pc + -8 */
    0x100009e7009e7000, /* nop */
    0x100009e7009e7000, /* nop */
    0x100009e7009e7000, /* nop */
    0x300009e7009e7000, /* nop ; end */
    0x100009e7009e7000, /* nop */
    0x100009e7009e7000, /* nop */
};

static const uint64_t rule_falls_behind_end[] = {
    0x100009e7009e7000, /* nop */
    0x100009e7009e7000, /* nop */
    0xf0f809e7fffffff0, /* br.always pc + -16 */
    0x100009e7009e7000, /* nop */
    0x100009e7009e7000, /* nop */
    0x300009e7009e7000, /* nop ; end */
    0x100009e7009e7000, /* nop */
    0x100009e7009e7000, /* nop */
};

static const uint64_t rule_branch_writes[] = {
    0x100009e7009e7000, /* nop */
    0x100009e7009e7000, /* nop */
    0xf0f8006700000008, /* br.always pc + 8 ; link ra1, nop */
    0x100009e7009e7000, /* nop */
    0x100009e7009e7000, /* nop */
    0x100009e7009e7000, /* nop */
    0x100009e7009e7000, /* nop */
    0x100009e7009e7000, /* nop */
    0x300009e7009e7000, /* nop ; end */
    0x100009e7009e7000, /* nop */
    0x100009e7009e7000, /* nop */
};

static const uint64_t rule_write_noswap[] = {
    0x10020927159e7000, /* mov tmu_noswap, r0 */
    0x300009e7009e7000, /* nop ; end */
    0x100009e7009e7000, /* nop */
    0x100009e7009e7000, /* nop */
};

static const uint64_t rule_write_host_int[] = {
    0x100209a7159e7000, /* mov host_int, r0 */
    0x300009e7009e7000, /* nop ; end */
    0x100009e7009e7000, /* nop */
    0x100009e7009e7000, /* nop */
};

static const uint64_t rule_write_alpha_mask[] = {
    0x10020be7159e7000, /* mov tlb_alpha, r0 */
    0x300009e7009e7000, /* nop ; end */
    0x100009e7009e7000, /* nop */
    0x100009e7009e7000, /* nop */
};

static const uint64_t rule_write_mutex[] = {
    0x10020ce7159e7000, /* mov mutex_release, r0 */
    0x300009e7009e7000, /* nop ; end */
    0x100009e7009e7000, /* nop */
    0x100009e7009e7000, /* nop */
};

static const uint64_t rule_vpm_dma_load[] = {
    0x10020ca7159e7000, /* mov vpm_ld_addr, r0 */
    0x300009e7009e7000, /* nop ; end */
    0x100009e7009e7000, /* nop */
    0x100009e7009e7000, /* nop */
};

static const uint64_t rule_vpm_dma_store[] = {
    0x10021ca7159e7000, /* mov vpm_st_addr, r0 */
    0x300009e7009e7000, /* nop ; end */
    0x100009e7009e7000, /* nop */
    0x100009e7009e7000, /* nop */
};

static const uint64_t rule_vpm_dma_store_by_mul[] = {
    0x100049f2809e7000, /* nop ; mov vpm_st_addr, r0 */
    0x300009e7009e7000, /* nop ; end */
    0x100009e7009e7000, /* nop */
    0x100009e7009e7000, /* nop */
};

static const uint64_t rule_vpm_dma_store_by_ldi[] = {
    0xe0021ca700000000, /* ldi vpm_st_addr, 0 */
    0x300009e7009e7000, /* nop ; end */
    0x100009e7009e7000, /* nop */
    0x100009e7009e7000, /* nop */
};

static const uint64_t rule_vpm_write[] = {
    0xe0021c6700001a00, /* ldi vpm_wr_setup, 0x1a00 */
    0x10020c27159e7000, /* mov vpm, r0 */
    0x300009e7009e7000, /* nop ; end */
    0x100009e7009e7000, /* nop */
    0x100009e7009e7000, /* nop */
};

static const uint64_t rule_tlb_writes[] = {
    0x10020b27159e7000, /* mov tlb_z, r0 */
    0x10020ba7159e7000, /* mov tlb_c, r0 */
    0x300009e7009e7000, /* nop ; end */
    0x100009e7009e7000, /* nop */
    0x100009e7009e7000, /* nop */
};

static const uint64_t rule_mutex_read[] = {
    0x1002082715ce7d80, /* mov r0, mutex */
    0x300009e7009e7000, /* nop ; end */
    0x100009e7009e7000, /* nop */
    0x100009e7009e7000, /* nop */
};

static const uint64_t rule_reset[] = {
    0x1002082715827d80, /* mov r0, unif */
    0xe002086700000008, /* ldi r1, 8 */
    0x10020a270c827380, /* add unif_addr, r1, unif */
    0x100009e7009e7000, /* nop */
    0x100009e7009e7000, /* nop */
    0x1002082715827d80, /* mov r0, unif */
    0x300009e7009e7000, /* nop ; end */
    0x100009e7009e7000, /* nop */
    0x100009e7009e7000, /* nop */
};

static const uint64_t rule_reset_wrong_value[] = {
    0x1002082715827d80, /* mov r0, unif */
    0xe00208670000000c, /* ldi r1, 12 */
    0x10020a270c827380, /* add unif_addr, r1, unif */
    0x300009e7009e7000, /* nop ; end */
    0x100009e7009e7000, /* nop */
    0x100009e7009e7000, /* nop */
};

static const uint64_t rule_reset_no_immediate[] = {
    0x1002082715827d80, /* mov r0, unif */
    0x10020867159e7000, /* mov r1, r0 */
    0x10020a270c827380, /* add unif_addr, r1, unif */
    0x300009e7009e7000, /* nop ; end */
    0x100009e7009e7000, /* nop */
    0x100009e7009e7000, /* nop */
};

static const uint64_t rule_reset_conditional_immediate[] = {
    0xe004086700000004, /* ldi.ifz r1, 4 */
    0x10020a270c827380, /* add unif_addr, r1, unif */
    0x300009e7009e7000, /* nop ; end */
    0x100009e7009e7000, /* nop */
    0x100009e7009e7000, /* nop */
};

static const uint64_t rule_reset_overwritten[] = {
    0xe002086700000004, /* ldi r1, 4 */
    0x10020867159e7000, /* mov r1, r0 */
    0x10020a270c827380, /* add unif_addr, r1, unif */
    0x300009e7009e7000, /* nop ; end */
    0x100009e7009e7000, /* nop */
    0x100009e7009e7000, /* nop */
};

static const uint64_t rule_reset_swapped[] = {
    0xe002086700000004, /* ldi r1, 4 */
    0x10020a270c827c40, /* add unif_addr, unif, r1 */
    0x300009e7009e7000, /* nop ; end */
    0x100009e7009e7000, /* nop */
    0x100009e7009e7000, /* nop */
};

static const uint64_t rule_reset_subtracts[] = {
    0xe002086700000004, /* ldi r1, 4 */
    0x10020a270d827380, /* sub unif_addr, r1, unif */
    0x300009e7009e7000, /* nop ; end */
    0x100009e7009e7000, /* nop */
    0x100009e7009e7000, /* nop */
};

static const uint64_t rule_reset_conditional[] = {
    0xe002086700000004, /* ldi r1, 4 */
    0x10040a270c827380, /* add.ifz unif_addr, r1, unif */
    0x300009e7009e7000, /* nop ; end */
    0x100009e7009e7000, /* nop */
    0x100009e7009e7000, /* nop */
};

static const uint64_t rule_reset_relative[] = {
    0xe002086700000004, /* ldi r1, 4 */
    0x10021a270c827380, /* add unif_addr_rel, r1, unif */
    0x300009e7009e7000, /* nop ; end */
    0x100009e7009e7000, /* nop */
    0x100009e7009e7000, /* nop */
};

static const uint64_t rule_reset_by_mul[] = {
    0x100059e8809e7000, /* nop ; mov unif_addr, r0 */
    0x300009e7009e7000, /* nop ; end */
    0x100009e7009e7000, /* nop */
    0x100009e7009e7000, /* nop */
};

static const uint64_t rule_reset_with_signal[] = {
    0xe002086700000004, /* ldi r1, 4 */
    0x40020a270c827380, /* add unif_addr, r1, unif ; wait_sb */
    0x300009e7009e7000, /* nop ; end */
    0x100009e7009e7000, /* nop */
    0x100009e7009e7000, /* nop */
};

static const uint64_t rule_reset_with_tmu_load[] = {
    0xe002086700000004, /* ldi r1, 4 */
    0xa0020a270c827380, /* add unif_addr, r1, unif ; load_tmu0 */
    0x300009e7009e7000, /* nop ; end */
    0x100009e7009e7000, /* nop */
    0x100009e7009e7000, /* nop */
};

static const uint64_t rule_target_resets[] = {
    0x100009e7009e7000, /* nop */
    0x100009e7009e7000, /* nop */
    0xf0f809e700000000, /* br.always pc + 0 */
    0x100009e7009e7000, /* nop */
    0x100009e7009e7000, /* nop */
    0x100009e7009e7000, /* nop */
    0xe002086700000004, /* ldi r1, 4 */
    0x10020a270c827380, /* add unif_addr, r1, unif */
    0x100009e7009e7000, /* nop */
    0x100009e7009e7000, /* nop */
    0x1002082715827d80, /* mov r0, unif */
    0x300009e7009e7000, /* nop ; end */
    0x100009e7009e7000, /* nop */
    0x100009e7009e7000, /* nop */
};

static const uint64_t rule_target_reads[] = {
    0x100009e7009e7000, /* nop */
    0x100009e7009e7000, /* nop */
    0xf0f809e700000000, /* br.always pc + 0 */
    0x100009e7009e7000, /* nop */
    0x100009e7009e7000, /* nop */
    0x100009e7009e7000, /* nop */
    0x1002082715827d80, /* mov r0, unif */
    0x300009e7009e7000, /* nop ; end */
    0x100009e7009e7000, /* nop */
    0x100009e7009e7000, /* nop */
};

static const uint64_t rule_target_textures[] = {
    0x100009e7009e7000, /* nop */
    0x100009e7009e7000, /* nop */
    0xf0f809e700000000, /* br.always pc + 0 */
    0x100009e7009e7000, /* nop */
    0x100009e7009e7000, /* nop */
    0x100009e7009e7000, /* nop */
    0x10020e67159e7000, /* mov tmu0_t, r0 */
    0x10020e27159e7000, /* mov tmu0_s, r0 */
    0x300009e7009e7000, /* nop ; end */
    0x100009e7009e7000, /* nop */
    0x100009e7009e7000, /* nop */
};

static const uint64_t rule_immediate_dies_at_target[] = {
    0x100009e7009e7000, /* nop */
    0xe002086700000004, /* ldi r1, 4 */
    0xf0f809e700000000, /* br.always pc + 0 */
    0x100009e7009e7000, /* nop */
    0x100009e7009e7000, /* nop */
    0x100009e7009e7000, /* nop */
    0x10020a270c827380, /* add unif_addr, r1, unif */
    0x300009e7009e7000, /* nop ; end */
    0x100009e7009e7000, /* nop */
    0x100009e7009e7000, /* nop */
};

static const uint64_t rule_texture[] = {
    0x10020e67159e7000, /* mov tmu0_t, r0 */
    0x10020e27159e7000, /* mov tmu0_s, r0 */
    0x300009e7009e7000, /* nop ; end */
    0x100009e7009e7000, /* nop */
    0x100009e7009e7000, /* nop */
};

static const uint64_t rule_texture_4[] = {
    0x10020ea7159e7000, /* mov tmu0_r, r0 */
    0x10020ee7159e7000, /* mov tmu0_b, r0 */
    0x10020e67159e7000, /* mov tmu0_t, r0 */
    0x10020e27159e7000, /* mov tmu0_s, r0 */
    0x300009e7009e7000, /* nop ; end */
    0x100009e7009e7000, /* nop */
    0x100009e7009e7000, /* nop */
};

static const uint64_t rule_texture_5[] = {
    0x10020ea7159e7000, /* mov tmu0_r, r0 */
    0x10020ee7159e7000, /* mov tmu0_b, r0 */
    0x10020e67159e7000, /* mov tmu0_t, r0 */
    0x10020e67159e7000, /* mov tmu0_t, r0 */
    0x10020e27159e7000, /* mov tmu0_s, r0 */
    0x300009e7009e7000, /* nop ; end */
    0x100009e7009e7000, /* nop */
    0x100009e7009e7000, /* nop */
};

static const uint64_t rule_texture_uniform[] = {
    0x10020e6715827d80, /* mov tmu0_t, unif */
    0x10020e27159e7000, /* mov tmu0_s, r0 */
    0x300009e7009e7000, /* nop ; end */
    0x100009e7009e7000, /* nop */
    0x100009e7009e7000, /* nop */
};

static const uint64_t rule_texture_two_units[] = {
    0x10020e67159e7000, /* mov tmu0_t, r0 */
    0x10020f67159e7000, /* mov tmu1_t, r0 */
    0x10020e27159e7000, /* mov tmu0_s, r0 */
    0x10020f27159e7000, /* mov tmu1_s, r0 */
    0x300009e7009e7000, /* nop ; end */
    0x100009e7009e7000, /* nop */
    0x100009e7009e7000, /* nop */
};

static const uint64_t rule_texture_both[] = {
    0x10024e7d959e7000, /* mov tmu0_t, r0 ; mov tmu1_t, r0 */
    0x300009e7009e7000, /* nop ; end */
    0x100009e7009e7000, /* nop */
    0x100009e7009e7000, /* nop */
};

static const uint64_t rule_direct[] = {
    0xd0020827139c01c0, /* max r0, r0, 0 */
    0x1002086712827180, /* min r1, r0, unif */
    0x10020e270c827380, /* add tmu0_s, r1, unif */
    0x300009e7009e7000, /* nop ; end */
    0x100009e7009e7000, /* nop */
    0x100009e7009e7000, /* nop */
};

static const uint64_t rule_direct_zero_first[] = {
    0xd0020827139c0e00, /* max r0, 0, r0 */
    0x1002086712827180, /* min r1, r0, unif */
    0x10020e270c827380, /* add tmu0_s, r1, unif */
    0x300009e7009e7000, /* nop ; end */
    0x100009e7009e7000, /* nop */
    0x100009e7009e7000, /* nop */
};

static const uint64_t rule_direct_file_register[] = {
    0xd0020067139c01c0, /* max ra1, r0, 0 */
    0x100009e7009e7000, /* nop */
    0x100210e712060dc0, /* min rb3, ra1, unif_b */
    0x100009e7009e7000, /* nop */
    0x10020e270c803f80, /* add tmu0_s, rb3, unif */
    0x300009e7009e7000, /* nop ; end */
    0x100009e7009e7000, /* nop */
    0x100009e7009e7000, /* nop */
};

static const uint64_t rule_direct_twice[] = {
    0xd0020827139c01c0, /* max r0, r0, 0 */
    0x1002086712827180, /* min r1, r0, unif */
    0x10020e270c827380, /* add tmu0_s, r1, unif */
    0x10020e270c827380, /* add tmu0_s, r1, unif */
    0x300009e7009e7000, /* nop ; end */
    0x100009e7009e7000, /* nop */
    0x100009e7009e7000, /* nop */
};

static const uint64_t rule_direct_swapped[] = {
    0xd0020827139c01c0, /* max r0, r0, 0 */
    0x1002086712827180, /* min r1, r0, unif */
    0x10020e270c827c40, /* add tmu0_s, unif, r1 */
    0x300009e7009e7000, /* nop ; end */
    0x100009e7009e7000, /* nop */
    0x100009e7009e7000, /* nop */
};

static const uint64_t rule_direct_subtracts[] = {
    0xd0020827139c01c0, /* max r0, r0, 0 */
    0x1002086712827180, /* min r1, r0, unif */
    0x10020e270d827380, /* sub tmu0_s, r1, unif */
    0x300009e7009e7000, /* nop ; end */
    0x100009e7009e7000, /* nop */
    0x100009e7009e7000, /* nop */
};

static const uint64_t rule_direct_no_uniform[] = {
    0xd0020827139c01c0, /* max r0, r0, 0 */
    0x1002086712827180, /* min r1, r0, unif */
    0x10020e270c9e7280, /* add tmu0_s, r1, r2 */
    0x300009e7009e7000, /* nop ; end */
    0x100009e7009e7000, /* nop */
    0x100009e7009e7000, /* nop */
};

static const uint64_t rule_direct_by_mul[] = {
    0xd0020827139c01c0, /* max r0, r0, 0 */
    0x1002086712827180, /* min r1, r0, unif */
    0x100049f8809e7009, /* nop ; mov tmu0_s, r1 */
    0x300009e7009e7000, /* nop ; end */
    0x100009e7009e7000, /* nop */
    0x100009e7009e7000, /* nop */
};

static const uint64_t rule_direct_by_ldi[] = {
    0xe0020e2700000000, /* ldi tmu0_s, 0 */
    0x300009e7009e7000, /* nop ; end */
    0x100009e7009e7000, /* nop */
    0x100009e7009e7000, /* nop */
};

static const uint64_t rule_direct_small_imm[] = {
    0xd0020827139c01c0, /* max r0, r0, 0 */
    0x1002086712827180, /* min r1, r0, unif */
    0xd0020e270c9c43c0, /* add tmu0_s, r1, 4 */
    0x300009e7009e7000, /* nop ; end */
    0x100009e7009e7000, /* nop */
    0x100009e7009e7000, /* nop */
};

static const uint64_t rule_direct_unclamped[] = {
    0x10020e270c827380, /* add tmu0_s, r1, unif */
    0x300009e7009e7000, /* nop ; end */
    0x100009e7009e7000, /* nop */
    0x100009e7009e7000, /* nop */
};

static const uint64_t rule_direct_only_max[] = {
    0xd0020867139c01c0, /* max r1, r0, 0 */
    0x10020e270c827380, /* add tmu0_s, r1, unif */
    0x300009e7009e7000, /* nop ; end */
    0x100009e7009e7000, /* nop */
    0x100009e7009e7000, /* nop */
};

static const uint64_t rule_direct_only_min[] = {
    0x1002086712827180, /* min r1, r0, unif */
    0x10020e270c827380, /* add tmu0_s, r1, unif */
    0x300009e7009e7000, /* nop ; end */
    0x100009e7009e7000, /* nop */
    0x100009e7009e7000, /* nop */
};

static const uint64_t rule_direct_max_1[] = {
    0xd0020827139c11c0, /* max r0, r0, 1 */
    0x1002086712827180, /* min r1, r0, unif */
    0x10020e270c827380, /* add tmu0_s, r1, unif */
    0x300009e7009e7000, /* nop ; end */
    0x100009e7009e7000, /* nop */
    0x100009e7009e7000, /* nop */
};

static const uint64_t rule_direct_max_conditional[] = {
    0xd0040827139c01c0, /* max.ifz r0, r0, 0 */
    0x1002086712827180, /* min r1, r0, unif */
    0x10020e270c827380, /* add tmu0_s, r1, unif */
    0x300009e7009e7000, /* nop ; end */
    0x100009e7009e7000, /* nop */
    0x100009e7009e7000, /* nop */
};

static const uint64_t rule_direct_min_conditional[] = {
    0xd0020827139c01c0, /* max r0, r0, 0 */
    0x1004086712827180, /* min.ifz r1, r0, unif */
    0x10020e270c827380, /* add tmu0_s, r1, unif */
    0x300009e7009e7000, /* nop ; end */
    0x100009e7009e7000, /* nop */
    0x100009e7009e7000, /* nop */
};

static const uint64_t rule_direct_min_swapped[] = {
    0xd0020827139c01c0, /* max r0, r0, 0 */
    0x1002086712827c00, /* min r1, unif, r0 */
    0x10020e270c827380, /* add tmu0_s, r1, unif */
    0x300009e7009e7000, /* nop ; end */
    0x100009e7009e7000, /* nop */
    0x100009e7009e7000, /* nop */
};

static const uint64_t rule_direct_clamp_overwritten[] = {
    0xd0020827139c01c0, /* max r0, r0, 0 */
    0x1002086712827180, /* min r1, r0, unif */
    0x100049e1809e7012, /* nop ; mov r1, r2 */
    0x10020e270c827380, /* add tmu0_s, r1, unif */
    0x300009e7009e7000, /* nop ; end */
    0x100009e7009e7000, /* nop */
    0x100009e7009e7000, /* nop */
};

static const uint64_t rule_direct_clamp_dies_at_target[] = {
    0x100009e7009e7000, /* nop */
    0x100009e7009e7000, /* nop */
    0xd0020827139c01c0, /* max r0, r0, 0 */
    0x1002086712827180, /* min r1, r0, unif */
    0xf0f809e700000000, /* br.always pc + 0 */
    0x100009e7009e7000, /* nop */
    0x100009e7009e7000, /* nop */
    0x100009e7009e7000, /* nop */
    0xe00208a700000008, /* ldi r2, 8 */
    0x10020a270c827580, /* add unif_addr, r2, unif */
    0x10020e270c827380, /* add tmu0_s, r1, unif */
    0x300009e7009e7000, /* nop ; end */
    0x100009e7009e7000, /* nop */
    0x100009e7009e7000, /* nop */
};

static const uint64_t rule_direct_clamp_dies_at_switch[] = {
    0xd0020827139c01c0, /* max r0, r0, 0 */
    0x1002086712827180, /* min r1, r0, unif */
    0x200009e7009e7000, /* nop ; thrsw */
    0x100009e7009e7000, /* nop */
    0x100009e7009e7000, /* nop */
    0x10020e270c827380, /* add tmu0_s, r1, unif */
    0x300009e7009e7000, /* nop ; end */
    0x100009e7009e7000, /* nop */
    0x100009e7009e7000, /* nop */
};

static const uint64_t rule_direct_clamp_in_switch_slots[] = {
    0xd0020827139c01c0, /* max r0, r0, 0 */
    0x1002086712827180, /* min r1, r0, unif */
    0x200009e7009e7000, /* nop ; thrsw */
    0x100009e7009e7000, /* nop */
    0x10020e270c827380, /* add tmu0_s, r1, unif */
    0x300009e7009e7000, /* nop ; end */
    0x100009e7009e7000, /* nop */
    0x100009e7009e7000, /* nop */
};

static const uint64_t rule_direct_clamp_in_file_lives[] = {
    0xd0020827139c01c0, /* max r0, r0, 0 */
    0x1002006712827180, /* min ra1, r0, unif */
    0x200009e7009e7000, /* nop ; thrsw */
    0x100009e7009e7000, /* nop */
    0x100009e7009e7000, /* nop */
    0x10020e270c060dc0, /* add tmu0_s, ra1, unif_b */
    0x300009e7009e7000, /* nop ; end */
    0x100009e7009e7000, /* nop */
    0x100009e7009e7000, /* nop */
};

static const uint64_t rule_texture_spans_target[] = {
    0x100009e7009e7000, /* nop */
    0x100009e7009e7000, /* nop */
    0x10020e67159e7000, /* mov tmu0_t, r0 */
    0xf0f809e700000000, /* br.always pc + 0 */
    0x100009e7009e7000, /* nop */
    0x100009e7009e7000, /* nop */
    0x100009e7009e7000, /* nop */
    0xe002086700000008, /* ldi r1, 8 */
    0x10020a270c827380, /* add unif_addr, r1, unif */
    0x10020e27159e7000, /* mov tmu0_s, r0 */
    0x300009e7009e7000, /* nop ; end */
    0x100009e7009e7000, /* nop */
    0x100009e7009e7000, /* nop */
};

static const uint64_t rule_threads[] = {
    0x200009e7009e7000, /* nop ; thrsw */
    0x100009e7009e7000, /* nop */
    0x100009e7009e7000, /* nop */
    0x600009e7009e7000, /* nop ; last_thrsw */
    0x100009e7009e7000, /* nop */
    0x100009e7009e7000, /* nop */
    0x300009e7009e7000, /* nop ; end */
    0x100009e7009e7000, /* nop */
    0x100009e7009e7000, /* nop */
};

static const uint64_t rule_switches_too_close[] = {
    0x200009e7009e7000, /* nop ; thrsw */
    0x100009e7009e7000, /* nop */
    0x600009e7009e7000, /* nop ; last_thrsw */
    0x100009e7009e7000, /* nop */
    0x100009e7009e7000, /* nop */
    0x300009e7009e7000, /* nop ; end */
    0x100009e7009e7000, /* nop */
    0x100009e7009e7000, /* nop */
};

static const uint64_t rule_branch_after_switch[] = {
    0x200009e7009e7000, /* nop ; thrsw */
    0x100009e7009e7000, /* nop */
    0xf0f809e700000000, /* br.always pc + 0 */
    0x100009e7009e7000, /* nop */
    0x100009e7009e7000, /* nop */
    0x100009e7009e7000, /* nop */
    0x100009e7009e7000, /* nop */
    0x300009e7009e7000, /* nop ; end */
    0x100009e7009e7000, /* nop */
    0x100009e7009e7000, /* nop */
};

static const uint64_t rule_threaded_high_write[] = {
    0x600009e7009e7000, /* nop ; last_thrsw */
    0x100009e7009e7000, /* nop */
    0x100009e7009e7000, /* nop */
    0x10020427159e7000, /* mov ra16, r0 */
    0x300009e7009e7000, /* nop ; end */
    0x100009e7009e7000, /* nop */
    0x100009e7009e7000, /* nop */
};

static const uint64_t rule_threaded_high_read[] = {
    0x600009e7009e7000, /* nop ; last_thrsw */
    0x100009e7009e7000, /* nop */
    0x100009e7009e7000, /* nop */
    0x10020827159dffc0, /* mov r0, rb31 */
    0x300009e7009e7000, /* nop ; end */
    0x100009e7009e7000, /* nop */
    0x100009e7009e7000, /* nop */
};

static const uint64_t rule_threaded_low[] = {
    0x600009e7009e7000, /* nop ; last_thrsw */
    0x100009e7009e7000, /* nop */
    0x100009e7009e7000, /* nop */
    0x100203e7159e7000, /* mov ra15, r0 */
    0x10020827159cffc0, /* mov r0, rb15 */
    0x300009e7009e7000, /* nop ; end */
    0x100009e7009e7000, /* nop */
    0x100009e7009e7000, /* nop */
};

static const uint64_t rule_unthreaded_high[] = {
    0x10020427159e7000, /* mov ra16, r0 */
    0x10020827159dffc0, /* mov r0, rb31 */
    0x300009e7009e7000, /* nop ; end */
    0x100009e7009e7000, /* nop */
    0x100009e7009e7000, /* nop */
};
#define PROGRAM(name, is_valid) {#name, name, COUNT_OF(name), is_valid}

const struct program programs[] = {
    PROGRAM(fs_color, true),
    PROGRAM(vs, true),
    PROGRAM(cs, true),
    PROGRAM(fs_texture, true),
    PROGRAM(fs_texture_4, true),
    PROGRAM(fs_direct, true),
    PROGRAM(fs_threaded, true),
    PROGRAM(rule_idle, true),
    PROGRAM(rule_no_end, false),
    PROGRAM(rule_end_in_delay_slot, true),
    PROGRAM(rule_breakpoint, false),
    PROGRAM(rule_coverage_load, false),
    PROGRAM(rule_color_load_end, false),
    PROGRAM(rule_alpha_load, false),
    PROGRAM(rule_color_load, true),
    PROGRAM(rule_scoreboard, true),
    PROGRAM(rule_semaphore, true),
    PROGRAM(rule_branch, true),
    PROGRAM(rule_branch_first, false),
    PROGRAM(rule_branch_second, false),
    PROGRAM(rule_branch_in_delay_slots, false),
    PROGRAM(rule_branch_after_delay_slots, true),
    PROGRAM(rule_branch_register, false),
    PROGRAM(rule_branch_absolute, false),
    PROGRAM(rule_branch_unaligned, false),
    PROGRAM(rule_branch_before_start, false),
    PROGRAM(rule_branch_to_start, true),
    PROGRAM(rule_branch_past_bo, false),
    PROGRAM(rule_falls_on_end, true),
    PROGRAM(rule_falls_behind_end, false),
    PROGRAM(rule_branch_writes, false),
    PROGRAM(rule_write_noswap, false),
    PROGRAM(rule_write_host_int, false),
    PROGRAM(rule_write_alpha_mask, false),
    PROGRAM(rule_write_mutex, false),
    PROGRAM(rule_vpm_dma_load, false),
    PROGRAM(rule_vpm_dma_store, false),
    PROGRAM(rule_vpm_dma_store_by_mul, false),
    PROGRAM(rule_vpm_dma_store_by_ldi, false),
    PROGRAM(rule_vpm_write, true),
    PROGRAM(rule_tlb_writes, true),
    PROGRAM(rule_mutex_read, true),
    PROGRAM(rule_reset, true),
    PROGRAM(rule_reset_wrong_value, false),
    PROGRAM(rule_reset_no_immediate, false),
    PROGRAM(rule_reset_conditional_immediate, false),
    PROGRAM(rule_reset_overwritten, false),
    PROGRAM(rule_reset_swapped, false),
    PROGRAM(rule_reset_subtracts, false),
    PROGRAM(rule_reset_conditional, false),
    PROGRAM(rule_reset_relative, false),
    PROGRAM(rule_reset_by_mul, false),
    PROGRAM(rule_reset_with_signal, false),
    PROGRAM(rule_reset_with_tmu_load, true),
    PROGRAM(rule_target_resets, true),
    PROGRAM(rule_target_reads, false),
    PROGRAM(rule_target_textures, false),
    PROGRAM(rule_immediate_dies_at_target, false),
    PROGRAM(rule_texture, true),
    PROGRAM(rule_texture_4, true),
    PROGRAM(rule_texture_5, false),
    PROGRAM(rule_texture_uniform, false),
    PROGRAM(rule_texture_two_units, true),
    PROGRAM(rule_texture_both, false),
    PROGRAM(rule_direct, true),
    PROGRAM(rule_direct_zero_first, true),
    PROGRAM(rule_direct_file_register, true),
    PROGRAM(rule_direct_twice, true),
    PROGRAM(rule_direct_swapped, false),
    PROGRAM(rule_direct_subtracts, false),
    PROGRAM(rule_direct_no_uniform, false),
    PROGRAM(rule_direct_by_mul, false),
    PROGRAM(rule_direct_by_ldi, false),
    PROGRAM(rule_direct_small_imm, false),
    PROGRAM(rule_direct_unclamped, false),
    PROGRAM(rule_direct_only_max, false),
    PROGRAM(rule_direct_only_min, false),
    PROGRAM(rule_direct_max_1, false),
    PROGRAM(rule_direct_max_conditional, false),
    PROGRAM(rule_direct_min_conditional, false),
    PROGRAM(rule_direct_min_swapped, false),
    PROGRAM(rule_direct_clamp_overwritten, false),
    PROGRAM(rule_direct_clamp_dies_at_target, false),
    PROGRAM(rule_direct_clamp_dies_at_switch, false),
    PROGRAM(rule_direct_clamp_in_switch_slots, true),
    PROGRAM(rule_direct_clamp_in_file_lives, true),
    PROGRAM(rule_texture_spans_target, false),
    PROGRAM(rule_threads, true),
    PROGRAM(rule_switches_too_close, false),
    PROGRAM(rule_branch_after_switch, false),
    PROGRAM(rule_threaded_high_write, false),
    PROGRAM(rule_threaded_high_read, false),
    PROGRAM(rule_threaded_low, true),
    PROGRAM(rule_unthreaded_high, true),
};

/* clang-format on */

const uint32_t program_count = COUNT_OF(programs);
