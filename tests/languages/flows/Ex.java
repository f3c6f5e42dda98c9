class Ex {
  static void g(int x) {
    int y = x;
    System.exit(y);
  }
  public static void main(String[] args) {
    int a = 3;
    try {
      g(a);
    } finally {
      a = 4;
    }
  }
}
