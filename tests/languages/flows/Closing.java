public class Closing {
  record Res(int id) implements AutoCloseable {
    public void close() {
      if (id == 2) throw new IllegalStateException("close");
    }
  }
  static int go(int n) {
    int q = 0;
    try (Res a = new Res(1); Res b = new Res(n)) {
      q = 10 / (n - 3);
    } catch (Exception e) {
      q = -1;
    }
    return q;
  }
  static int again(int n) {
    try {
      try {
        n = 10 / n;
      } finally {
        n++;
      }
    } catch (ArithmeticException e) {
      return n;
    }
    return 0;
  }
  public static void main(String[] args) {
    int x = go(4);
    x += go(2);
    x += go(3);
    x += again(0) + again(1);
    System.out.println(x);
  }
}
