package inferencegateway;

/** The jar's entry. */
public final class Main {

  private Main() {}

  public static void main(String[] args) {
    System.exit(args.length == 0 ? 2 : 0);
  }
}
