import java.util.*;
import java.util.function.*;
public class Flow {
  static int made = init();
  static int init() { return 3; }
  interface Shape { int area(); }
  record Sq(int side) implements Shape {
    public int area() { return side * side; }
  }
  enum Color { RED, GREEN; Color next() { return values()[(ordinal() + 1) % 2]; } }
  static class Node {
    int v; Node next;
    Node(int v, Node next) {
      this.v = v;
      this.next = next;
    }
  }
  static int fin(int x) {
    try {
      if (x > 0) throw new IllegalStateException("e" + x);
      return 1;
    } catch (IllegalStateException e) {
      return 2;
    } finally {
      made++;
    }
  }
  static int sw(String s) {
    switch (s) {
      case "a":
        return 1;
      default:
        break;
    }
    int k = switch (s.length()) { case 1 -> 10; default -> { int t = 5; yield t; } };
    return k;
  }
  public static void main(String[] args) {
    List<Integer> xs = new ArrayList<>(List.of(3, 1, 2));
    Collections.sort(xs, (a, b) -> b - a);
    Map<String, Integer> m = new HashMap<>();
    outer:
    for (int i = 0; i < 3; i++) {
      for (int x : xs) {
        if (x == 2) continue outer;
        m.merge("k" + x, x, Integer::sum);
      }
    }
    Node n = new Node(1, new Node(2, null));
    int total = 0;
    for (Node p = n; p != null; p = p.next) {
      total += p.v;
    }
    Supplier<Integer> s = () -> {
      return 7;
    };
    int i = 0;
    do {
      i++;
    } while (i < 3);
    Object o = new Sq(3);
    System.out.println(total + s.get() + fin(0) + fin(1) + sw("a") + sw("zz") + ((Shape) o).area() + " " + Color.RED.next());
    int[] arr = new int[2];
    try {
      arr[2] = 1;
    } catch (ArrayIndexOutOfBoundsException e) {
      System.out.println(e.getMessage());
    }
    throw new RuntimeException("end");
  }
}
