package app;

import app.util.*;
import java.util.List;

public class Main {
    static class Node {
        int v = 1;
    }

    public static void main(String[] args) {
        List<Integer> xs = List.of(1, 2);
        System.out.println(Helper.sum(xs) + Peer.one() + Util.add(3, 4));
    }
}
