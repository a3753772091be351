#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
#
# Draws the tables of `vc4-bench --table` and `tests/bench/vkmark --table` as bars. A bar is the speed of a device
# relative to the best device other than the first. The figures themselves are printed beside the bars.
#
#   tests/bench/plot.py [--title TEXT] TABLE... >plot.svg
#
# A table has rows of line, device, value and unit, separated by tabs. Lower is better for ms, higher for frames/s. The
# first device is the one compared with the others.
import argparse, math, pathlib, sys
from xml.sax.saxutils import escape

COLORS = ['#c7304f', '#3a6ea5', '#7f9a48', '#8a6bb0', '#c98a2b']
BAR_PX, GAP_PX, LEFT_PX, PLOT_PX, RIGHT_PX, TOP_PX = 9, 8, 210, 520, 130, 64
DECADES = (0.02, 20)  # left and right ends of the axis; bars are cut there


def read_tables(paths):
    """Line -> device -> (value, unit), in the order of the files."""
    lines = {}
    for path in paths:
        for number, row in enumerate(path.read_text().splitlines(), 1):
            cells = row.split('\t')
            if len(cells) != 4 or cells[3] not in ('ms', 'frames/s'):
                sys.exit(f'{path}:{number}: expected line, device, value and ms or frames/s, separated by tabs')
            lines.setdefault(cells[0], {})[cells[1]] = (float(cells[2]), cells[3])
    return lines


def speeds(values, devices):
    """Device -> speed relative to the best of the others than the first; 0 for a device that failed."""
    rate = {d: (1 / v if unit == 'ms' else v) if v else 0 for d, (v, unit) in values.items()}
    best = max((r for d, r in rate.items() if d != devices[0]), default=0) or rate.get(devices[0], 0)
    return {d: r / best if best else 0 for d, r in rate.items()}


def geometric_mean(lines, devices):
    ratios = [s for s in (speeds(v, devices).get(devices[0], 0) for v in lines.values()) if s]
    return math.exp(sum(map(math.log, ratios)) / len(ratios)) if ratios else 0


def place(speed):
    low, high = map(math.log10, DECADES)
    return PLOT_PX * (min(max(math.log10(speed), low), high) - low) / (high - low)


def text(x, y, content, size=11, anchor='start', color='#222', weight='normal'):
    return (f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="{anchor}" fill="{color}" '
            f'font-weight="{weight}">{escape(content)}</text>')


def axis(bottom):
    parts = []
    for mark in (0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20):
        x = LEFT_PX + place(mark)
        parts.append(f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{TOP_PX}" y2="{bottom}" stroke="#{"444" if mark == 1 else "ddd"}"/>')
        parts.append(text(x, TOP_PX - 5, f'{mark:g}', 10, 'middle', '#555'))
    return parts


def legend(devices):
    parts, x = [], LEFT_PX
    for device, color in zip(devices, COLORS):
        parts.append(f'<rect x="{x}" y="{TOP_PX - 34}" width="10" height="10" fill="{color}"/>')
        parts.append(text(x + 14, TOP_PX - 25, device))
        x += 14 + 7 * len(device) + 20
    return parts


def draw(lines, title):
    devices = list(dict.fromkeys(d for values in lines.values() for d in values))[:len(COLORS)]
    step = BAR_PX * len(devices) + GAP_PX
    bottom = TOP_PX + step * len(lines)
    width, height = LEFT_PX + PLOT_PX + RIGHT_PX, bottom + 12
    mean = geometric_mean(lines, devices)
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" font-family="sans-serif">',
             f'<rect width="{width}" height="{height}" fill="white"/>',
             text(10, 18, f'{title}: {devices[0]} is {mean:.2f} times the best of the others (geometric mean of {len(lines)})',
                  13, weight='bold')]
    parts += legend(devices) + axis(bottom)
    for i, (line, values) in enumerate(lines.items()):
        y = TOP_PX + GAP_PX / 2 + i * step
        parts.append(text(LEFT_PX - 8, y + step / 2 - 1, line, 11, 'end'))
        for k, (device, speed) in enumerate((d, speeds(values, devices).get(d, 0)) for d in devices):
            at = y + k * BAR_PX
            one = place(1)
            end = place(speed) if speed else 0
            left, size = (min(one, end), abs(end - one)) if speed else (0, 0)
            parts.append(f'<rect x="{LEFT_PX + left:.1f}" y="{at:.1f}" width="{max(size, 2):.1f}" height="{BAR_PX - 1}" '
                         f'fill="{COLORS[k]}"/>')
            value, unit = values.get(device, (0, ''))
            parts.append(text(LEFT_PX + PLOT_PX + 8, at + BAR_PX - 1, f'{value:.4g} {unit}' if value else 'failed', 9,
                              color=COLORS[k]))
    return '\n'.join(parts + ['</svg>', ''])


def main():
    parser = argparse.ArgumentParser(description='Bars of benchmark tables, as SVG on stdout.')
    parser.add_argument('--title', default='Speed')
    parser.add_argument('tables', nargs='+', type=pathlib.Path, metavar='TABLE')
    args = parser.parse_args()
    lines = read_tables(args.tables)
    if not lines:
        sys.exit('the tables have no rows')
    sys.stdout.write(draw(lines, args.title))


if __name__ == '__main__':
    main()
