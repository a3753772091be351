packages=(mesa-utils) through='zink'
run_case() { use_zink; still_frame 8 es2gears_x11; }
