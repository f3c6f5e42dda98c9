public class Main {
    static int swaps;

    static void bubble(int[] a) {
        for (int i = 0; i < a.length; i++) {
            for (int j = 0; j + 1 < a.length - i; j++) {
                if (a[j] > a[j + 1]) {
                    int t = a[j];
                    a[j] = a[j + 1];
                    a[j + 1] = t;
                    swaps++;
                }
            }
        }
    }

    static int find(int[] a, int x) {
        int low = 0, high = a.length - 1;
        while (low <= high) {
            int middle = (low + high) >>> 1;
            if (a[middle] == x) {
                return middle;
            } else if (a[middle] < x) {
                low = middle + 1;
            } else {
                high = middle - 1;
            }
        }
        return -1;
    }

    public static void main(String[] args) {
        int[] a = {5, 2, 9, 1, 7};
        bubble(a);
        int at = find(a, 7);
        int none = find(a, 4);
        System.out.println(at + none + swaps);
    }
}
