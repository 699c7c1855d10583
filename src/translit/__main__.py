from translit.cli import main

main()
