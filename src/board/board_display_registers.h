/* SPDX-License-Identifier: MIT
 *
 * Offsets and bits of the display blocks. Broadcom has published nothing about them; what is here is known from the
 * kernel's driver [kernel vc4_regs.h, vc4_dpi.c]. Private to board/.
 */
#ifndef BOARD_DISPLAY_REGISTERS_H
#define BOARD_DISPLAY_REGISTERS_H

#include "util/macros.h"

/* -- HVS ----------------------------------------------------------------------------------------------------------- */

enum hvs_register {
    HVS_DISPCTRL = 0x000,
    HVS_DISPSTAT = 0x004,
    HVS_DISPID = 0x008,
    HVS_DISPECTRL = 0x00c,
    HVS_DISPPROF = 0x010,
    HVS_DISPDITHER = 0x014,
    HVS_DISPEOLN = 0x018,
    HVS_DISPLIST0 = 0x020, /* one for each channel */
    HVS_DISPLIST1 = 0x024,
    HVS_DISPLIST2 = 0x028,
    HVS_DISPLACT0 = 0x030, /* one for each channel */
    HVS_DISPLACT1 = 0x034,
    HVS_DISPLACT2 = 0x038,
    HVS_DISPCTRL0 = 0x040, /* these four for each channel, 0x10 apart */
    HVS_DISPBKGND0 = 0x044,
    HVS_DISPSTAT0 = 0x048,
    HVS_DISPBASE0 = 0x04c,
    HVS_DISPSTAT1 = 0x058,
    HVS_DISPSTAT2 = 0x068,
    HVS_DISPALPHA2 = 0x070,
    HVS_GAMADDR = 0x078,
    HVS_OLEDOFFS = 0x080,
    HVS_OLEDCOEF0 = 0x084,
    HVS_OLEDCOEF1 = 0x088,
    HVS_OLEDCOEF2 = 0x08c,
    HVS_GAMDATA = 0x0e0,
    HVS_REGISTERS_END = 0x0e4,
    HVS_LIST = 0x2000, /* display-list memory */
    HVS_LIST_END = 0x6000,
};

#define HVS_CHANNELS       3u
#define HVS_CHANNEL_STRIDE 0x10u
#define HVS_LIST_WORDS     ((HVS_LIST_END - HVS_LIST) / 4)
#define HVS_LIST_MASK      (HVS_LIST_WORDS - 1)

#define HVS_DISPID_VALUE 0x64647276u /* [a Raspberry Pi 4's hvs_regs in debugfs; nothing is known of older chips] */

#define HVS_CTRL_ENABLE         BIT(31)
#define HVS_CTRL_DSP3_SHIFT     18 /* the channel that feeds pixel valve 1; 3: none */
#define HVS_CTRL_DSP3_MASK      3u
#define HVS_CTRL_EIRQ(channel)  BIT(1 + (channel))
#define HVS_CTRL_EIEOF(channel) BIT(7 + 2 * (channel))

#define HVS_STAT_CLEAR_ALL    BIT(0)
#define HVS_STAT_IRQ(channel) BIT(1 + (channel))
#define HVS_STAT_EOF(channel) BIT(8 + 8 * (channel))

#define HVS_CHANNEL_ENABLE      BIT(31)
#define HVS_CHANNEL_RESET       BIT(30)
#define HVS_CHANNEL_WIDTH_SHIFT 12
#define HVS_CHANNEL_SIZE_MASK   0xfffu /* of width and height */

#define HVS_BKGND_GAMMA BIT(29)
#define HVS_BKGND_FILL  BIT(24)
#define HVS_BKGND_RGB   0xffffffu

enum hvs_mode { HVS_MODE_DISABLED, HVS_MODE_INIT, HVS_MODE_RUN, HVS_MODE_EOF };
#define HVS_CHANSTAT_MODE_SHIFT 30
#define HVS_CHANSTAT_EMPTY      BIT(28)
#define HVS_CHANSTAT_LINE_MASK  0xfffu
#define HVS_FRAME_COUNT_MASK    0x3fu

#define HVS_BASE_TOP_SHIFT 16
#define HVS_BASE_MASK      0xfffcu /* of first and last pixel */

#define HVS_GAMMA_AUTOINC   BIT(31)
#define HVS_GAMMA_SRAM      BIT(30)
#define HVS_GAMMA_ADDR_MASK 0xfffu
#define HVS_GAMMA_COMPONENT 256u /* entries of a component; three components for each channel, red first */
#define HVS_GAMMA_ENTRIES   (HVS_CHANNELS * 3 * HVS_GAMMA_COMPONENT)

#define HVS_OLED_CHANNEL_SHIFT 24 /* 1 + the channel whose colours are transformed; 0: none */
#define HVS_OLED_CHANNEL_MASK  3u
#define HVS_OLED_SIGN          BIT(9) /* of a coefficient, which has nine fraction bits */
#define HVS_OLED_FRACTION      0x1ffu

/* -- display lists ------------------------------------------------------------------------------------------------- */

#define PLANE_END          BIT(31)
#define PLANE_VALID        BIT(30)
#define PLANE_SIZE_SHIFT   24 /* words of the entry, this one included */
#define PLANE_SIZE_MASK    0x3fu
#define PLANE_TILING_SHIFT 20
#define PLANE_HFLIP        BIT(16)
#define PLANE_VFLIP        BIT(15)
#define PLANE_ORDER_SHIFT  13
#define PLANE_EXPAND_SHIFT 11
#define PLANE_UNITY        BIT(4)
#define PLANE_FORMAT_MASK  0xfu

enum plane_tiling { PLANE_LINEAR, PLANE_COLUMNS_64B, PLANE_COLUMNS_128B, PLANE_COLUMNS_256B_OR_T };
enum plane_expand { PLANE_EXPAND_ZERO, PLANE_EXPAND_LSB, PLANE_EXPAND_MSB, PLANE_EXPAND_ROUND };

enum plane_format {
    PLANE_RGB332,
    PLANE_RGBA4444,
    PLANE_RGB555,
    PLANE_RGBA5551,
    PLANE_RGB565,
    PLANE_RGB888,
    PLANE_RGBA6666,
    PLANE_RGBA8888,
    PLANE_YUV420_3PLANE,
    PLANE_YUV420_2PLANE,
    PLANE_YUV422_3PLANE,
    PLANE_YUV422_2PLANE,
    PLANE_H264, /* YUV420, two planes, in columns */
};

/* Word 1 */
#define PLANE_FIXED_ALPHA_SHIFT 24
#define PLANE_Y_SHIFT           12
#define PLANE_XY_MASK           0xfffu
/* Sizes: on the screen, and of the source */
#define PLANE_HEIGHT_SHIFT 16
#define PLANE_WH_MASK      0xfffu
/* The source's size word */
enum plane_alpha { PLANE_ALPHA_PIPELINE, PLANE_ALPHA_FIXED, PLANE_ALPHA_FIXED_NONZERO, PLANE_ALPHA_FIXED_OVER_7 };
#define PLANE_ALPHA_SHIFT   30
#define PLANE_ALPHA_PREMULT BIT(29)
#define PLANE_ALPHA_MIX     BIT(28)
/* Pitch */
#define PLANE_PITCH_MASK   0xffffu /* also the height of a column */
#define PLANE_T_SKIP_SHIFT 26      /* pixels from the tile's left edge to the first one */
#define PLANE_T_LEFT_SHIFT 16      /* tiles left of the first one */
#define PLANE_T_TILES_MASK 0x7fu
#define PLANE_T_LINE_DIR   BIT(15) /* lines go up */
#define PLANE_T_ODD        BIT(14) /* the first line is in an odd row of tiles */
#define PLANE_T_Y_SHIFT    8       /* first line within two rows of tiles, counted from below if lines go up */
#define PLANE_T_Y_MASK     0x3fu

/* -- pixel valves and DPI ------------------------------------------------------------------------------------------ */

enum pv_register {
    PV_CONTROL = 0x00,
    PV_V_CONTROL = 0x04,
    PV_VSYNCD_EVEN = 0x08,
    PV_HORZA = 0x0c,
    PV_HORZB = 0x10,
    PV_VERTA = 0x14,
    PV_VERTB = 0x18,
    PV_VERTA_EVEN = 0x1c,
    PV_VERTB_EVEN = 0x20,
    PV_INTEN = 0x24,
    PV_INTSTAT = 0x28,
    PV_STAT = 0x2c,
    PV_HACT_ACT = 0x30,
    PV_REGISTERS_END = 0x34,
    PV_SIZE_B = 0x100,
};

#define PV_CONTROL_MASK      0xffffffu
#define PV_CONTROL_REP_SHIFT 4
#define PV_CONTROL_EN        BIT(0)
#define PV_V_CONTROL_MASK    0x7fffffu
#define PV_INTERLACE         BIT(4)
#define PV_VIDEN             BIT(0)
#define PV_INT_MASK          0x3ffu
#define PV_INT_VFP_START     BIT(7)
#define PV_INT_VERTICAL      0x1f0u /* starts of front porch, sync, back porch, picture; end of front porch */

#define DPI_C        0x00u
#define DPI_SIZE_B   0x100u
#define DPI_ID_VALUE 0x00647069u /* read at all offsets but the first */
#define DPI_C_MASK   0x1ffffu

#endif
