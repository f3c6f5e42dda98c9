package app;

class Peer {
    static int one() {
        return new Main.Node().v;
    }
}
