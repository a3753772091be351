packages=(glmark2-es2-x11) through='zink (OpenGL ES)'
cases=(build texture terrain refract jellyfish)
run_case() { use_zink; still_frame 8 glmark2-es2 -s 320x240 -b "$1:nframes=20"; }
