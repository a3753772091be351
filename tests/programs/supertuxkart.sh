packages=(supertuxkart) through='zink, SDL 2'
run_case() { use_zink; frame 60 supertuxkart --no-start-screen --windowed --screensize=640x480 --no-sound --track=hacienda --numkarts=1 --laps=1; }
