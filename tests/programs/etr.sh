packages=(extremetuxracer) through='zink, SFML'
run_case() { use_zink; clocked=libsfml; still_frame 30 etr; }
