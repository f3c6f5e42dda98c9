# documents.sh: sourced by who records documents here for a lent machine, with $python, $out, $count and $workers set.
# written WORD...: the stream that these words ask for, by so many workers, each its part, into $out:
#   train.docs.xz   framed documents of the split `train`
#   valid.docs.xz   a fiftieth as many of the split `valid`: what such a training is measured by
split() { # split NAME COUNT WORD...
    local name=$1 count=$2 worker
    shift 2
    for worker in $(seq 0 $((workers - 1))); do
        nice -n 10 "$python" -m worldline.data.stream "$@" --split "$name" --seed "${SEED:-1}" --worker "$worker" \
            --workers "$workers" --count $(((count + workers - 1) / workers)) > "$out/$name.$worker.docs" &
    done
    wait
    cat "$out/$name".*.docs | xz -T0 > "$out/$name.docs.xz"
    rm "$out/$name".*.docs
}
written() {
    mkdir -p "$out"
    split valid $((count / 50 + 10)) "$@"
    split train "$count" "$@"
    ls -l "$out"
}
