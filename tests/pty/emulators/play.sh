#!/usr/bin/env bash
# Shows recorded bytes in the terminal that it runs in: FOLDER/0, FOLDER/1 and so on, each as soon as it is there, and after
# each the sequence AFTER. Once the terminal has processed them, it makes FOLDER/0.shown. An empty file ends it, and so
# does the end of FOLDER, since terminal multiplexers go on without their terminal.
#
# play.sh FOLDER AFTER
stty raw -echo
for ((n = 0; ; n++)); do
    until [[ -e $1/$n ]]; do
        [[ -d $1 ]] || exit 0
        sleep 0.01
    done
    [[ -s $1/$n ]] || exit 0
    cat "$1/$n"
    # Asks for the state of the terminal; the answer ends in "n".
    printf '%b\033[5n' "$2"
    IFS= read -rs -d n
    : >"$1/$n.shown"
done
