// outcome: returned
public class Main {
    public static void main(String[] args) throws Exception {
        System.out.write(new byte[] {(byte) 0xff, 'a', (byte) 0xc3}, 0, 3);
        System.out.flush();
        int x = 1;
    }
}
